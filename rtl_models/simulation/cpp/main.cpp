// Turns the clock of machine_bench until it finishes, and gives it the reset that it asks for, where
// the clock falls. Both are ports: if the bench made them itself, Verilator could not know that they
// do not depend on the machine, and would evaluate the machine several times in every cycle.

#include "Vmachine_bench.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

int main(int argc, char **argv) {
    VerilatedContext context;
    context.threads(1);
#if VM_TRACE
    context.traceEverOn(true);
#endif
    context.commandArgs(argc, argv);
    Vmachine_bench bench{&context, ""};
    // Registers start with random values, including those that reset others. Assertions are therefore
    // off until the first clock edge, by which the reset has reached every register.
    context.assertOn(false);
    bench.clk_i = 0;
    bench.rst_ni = 0;
    bench.eval();
    while (!context.gotFinish()) {
        context.timeInc(1);
        bench.clk_i = !bench.clk_i;
        bench.eval();
        context.assertOn(true);
        context.timeInc(1);
        if (bench.rst_ni == bench.reset_o) {
            bench.rst_ni = !bench.reset_o;
            bench.eval();
        }
    }
    bench.final();
#if VM_COVERAGE
    context.coveragep()->write();
#endif
    return 0;
}
