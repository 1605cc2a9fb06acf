/* The submission that makes most attacks: its input selects one. Each is a function in a folder of its
 * own; attacks.def says how it must end. The honest part of each attack is honest(): a
 * kernel computes the sum of squares. An attack that the sandbox must block gives a wrong answer if it succeeds. */
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
#include "100-looks-at-some/attack.cu"
#include "101-by-graph/attack.cu"
#include "102-by-texture/attack.cu"
#include "103-all-as-arguments/attack.cu"
#include "104-told-by-failure/attack.cu"
#include "11-markup-in-messages/attack.cu"
#include "12-reference-in-memory/attack.cu"
#include "13-stale-output/attack.cu"
#include "130-priorities-of-others/attack.cu"
#include "131-stacks-for-memory/attack.cu"
#include "132-seed-from-fresh-memory/attack.cu"
#include "148-forged-finding/attack.cu"
#include "149-rights-to-the-device/attack.cu"
#include "154-wild-texture/attack.cu"
#include "160-beside-the-kernel/attack.cu"
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
#include "70-picked-bytes/attack.cu"
#include "71-high-bits/attack.cu"
#include "72-printf-bombs/attack.cu"
#include "73-many-arrays/attack.cu"
#include "74-flood-of-notes/attack.cu"
#include "75-file-locks/attack.cu"
#include "76-name-bomb/attack.cu"
#include "77-gone-at-once/attack.cu"
#include "78-overwritten-shared-memory/attack.cu"
#include "79-half-a-word/attack.cu"
#include "80-old-gate/attack.cu"
#include "81-shared-file/attack.cu"
#include "88-luck-of-blocks/attack.cu"
#include "90-by-variable/attack.cu"
#include "91-by-table/attack.cu"
#include "92-by-launches/attack.cu"
#include "93-by-size/attack.cu"
#include "94-by-shared-pages/attack.cu"
#include "95-read-back/attack.cu"
#include "96-altered-first/attack.cu"
#include "97-never-copied/attack.cu"
#include "98-byte-by-byte/attack.cu"
#include "99-in-earnest-if-watched/attack.cu"

static unsigned long long attack(struct stage *stage)
{
    switch (stage->number) {
#define RUN(number, ...)                                                                           \
    case number:                                                                                   \
        return attack_##number(stage);
#define FILE(...)
#include "attacks.def"
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
