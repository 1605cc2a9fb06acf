// Follows a pointer whose bytes are those of a text.
#include <string.h>

struct node {
    struct node *next;
    int value;
};

int main()
{
    int *a;
    struct node first, second = {NULL, 5};
    memset(&first, 'x', sizeof first);
    cudaMalloc(&a, sizeof(int));
    cudaFree(a);
    return first.next->value != 5 || second.next;
}
