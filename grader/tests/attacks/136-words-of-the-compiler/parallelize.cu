// Its compiler messages begin with the words by which a compiler reports a broken installation.
#line 1 "nvcc fatal   : No space left on device"
int main()
{
    return "";
}
