// Includes endless headers, in two ways.
#include "/dev/zero"
#include __FILE__
template <int N> struct bomb {
    bomb<N + 1> left, right[N + 1];
};
bomb<0> exploded;
