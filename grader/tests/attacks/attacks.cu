/* The submission that makes most attacks: its input says which one. Each is a function in a folder of its
 * own; attacks.def says how it must end. What it takes to be graded in earnest is honest(): the sum of
 * squares, by a kernel. An attack that the sandbox must hold back gives a wrong answer if it was not. */
#include "tests/attacks/stage.h"

#include "01-exit-in-constructor/attack.cu"
#include "02-exit-in-the-middle/attack.cu"
#include "03-forged-verdict/attack.cu"
#include "04-inherited-descriptors/attack.cu"
#include "05-daemon/attack.cu"
#include "06-environment/attack.cu"
#include "07-harness-symbols/attack.cu"
#include "08-event-times/attack.cu"
#include "10-debugger/attack.cu"
#include "11-markup-in-messages/attack.cu"
#include "12-reference-in-memory/attack.cu"
#include "13-stale-output/attack.cu"
#include "18-fork-bomb/attack.cu"
#include "19-endless-kernel/attack.cu"
#include "20-divergent-barrier/attack.cu"
#include "21-endless-output/attack.cu"
#include "22-endless-memory/attack.cu"
#include "23-network/attack.cu"
#include "24-notes-for-a-friend/attack.cu"
#include "25-copied-in/attack.cu"
#include "26-memset-as-compute/attack.cu"
#include "27-cache-between-runs/attack.cu"
#include "28-cache-by-shape/attack.cu"
#include "29-work-on-another-thread/attack.cu"
#include "30-deferred-work/attack.cu"
#include "31-slow-warm-up/attack.cu"
#include "32-changed-input/attack.cu"
#include "33-known-seed/attack.cu"
#include "34-zeros/attack.cu"
#include "36-wrong-index/attack.cu"
#include "37-token-pasting/attack.cu"
#include "38-forged-places/attack.cu"
#include "39-constant-memory/attack.cu"
#include "40-second-kernel/attack.cu"
#include "41-notices-the-emulator/attack.cu"
#include "42-lucky-race/attack.cu"
#include "43-host-pointers/attack.cu"
#include "47-nothing-read/attack.cu"
#include "48-proc/attack.cu"
#include "49-file-in-memory/attack.cu"
#include "50-io-uring/attack.cu"
#include "51-kill-all/attack.cu"
#include "52-deaf-and-endless/attack.cu"
#include "53-huge-grid/attack.cu"
#include "54-malformed-fat-binary/attack.cu"
#include "55-time-bomb/attack.cu"
#include "56-rewritten-result/attack.cu"
#include "57-result-as-link/attack.cu"
#include "58-result-too-large/attack.cu"
#include "59-result-overflows/attack.cu"
#include "60-higher-limits/attack.cu"
#include "61-laundered/attack.cu"
#include "62-another-program/attack.cu"
#include "63-namespaces/attack.cu"
#include "64-stack-overflow/attack.cu"
#include "65-forged-record/attack.cu"
#include "66-full-disk/attack.cu"
#include "67-files-of-others/attack.cu"

static unsigned long long attack(struct stage *stage)
{
    switch (stage->number) {
    case 1:
        return attack_1(stage);
    case 2:
        return attack_2(stage);
    case 3:
        return attack_3(stage);
    case 4:
        return attack_4(stage);
    case 5:
        return attack_5(stage);
    case 6:
        return attack_6(stage);
    case 7:
        return attack_7(stage);
    case 8:
        return attack_8(stage);
    case 10:
        return attack_10(stage);
    case 11:
        return attack_11(stage);
    case 12:
        return attack_12(stage);
    case 13:
        return attack_13(stage);
    case 18:
        return attack_18(stage);
    case 19:
        return attack_19(stage);
    case 20:
        return attack_20(stage);
    case 21:
        return attack_21(stage);
    case 22:
        return attack_22(stage);
    case 23:
        return attack_23(stage);
    case 24:
        return attack_24(stage);
    case 25:
        return attack_25(stage);
    case 26:
        return attack_26(stage);
    case 27:
        return attack_27(stage);
    case 28:
        return attack_28(stage);
    case 29:
        return attack_29(stage);
    case 30:
        return attack_30(stage);
    case 31:
        return attack_31(stage);
    case 32:
        return attack_32(stage);
    case 33:
        return attack_33(stage);
    case 34:
        return attack_34(stage);
    case 36:
        return attack_36(stage);
    case 37:
        return attack_37(stage);
    case 38:
        return attack_38(stage);
    case 39:
        return attack_39(stage);
    case 40:
        return attack_40(stage);
    case 41:
        return attack_41(stage);
    case 42:
        return attack_42(stage);
    case 43:
        return attack_43(stage);
    case 47:
        return attack_47(stage);
    case 48:
        return attack_48(stage);
    case 49:
        return attack_49(stage);
    case 50:
        return attack_50(stage);
    case 51:
        return attack_51(stage);
    case 52:
        return attack_52(stage);
    case 53:
        return attack_53(stage);
    case 54:
        return attack_54(stage);
    case 55:
        return attack_55(stage);
    case 56:
        return attack_56(stage);
    case 57:
        return attack_57(stage);
    case 58:
        return attack_58(stage);
    case 59:
        return attack_59(stage);
    case 60:
        return attack_60(stage);
    case 61:
        return attack_61(stage);
    case 62:
        return attack_62(stage);
    case 63:
        return attack_63(stage);
    case 64:
        return attack_64(stage);
    case 65:
        return attack_65(stage);
    case 66:
        return attack_66(stage);
    case 67:
        return attack_67(stage);
    default:
        return honest(stage);
    }
}

int main(int argc, char **argv)
{
    static struct stage stage;
    stage.lab = lab_open(argc, argv);
    stage.number = lab_int(&stage.lab, "attack", 0);
    stage.n = lab_int(&stage.lab, "n", 1000);
    stage.data = lab_ints(&stage.lab, "data", stage.n);
    unsigned long long sum = attack(&stage);
    lab_result(&stage.lab, "sum", LAB_U64, &sum, 1);
    return lab_close(&stage.lab);
}
