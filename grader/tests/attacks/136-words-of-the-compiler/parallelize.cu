// The compiler's messages begin with the words in which it tells that it is badly installed.
#line 1 "nvcc fatal   : No space left on device"
int main()
{
    return "";
}
