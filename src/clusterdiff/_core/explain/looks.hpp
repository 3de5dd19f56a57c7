// What texts look like, told by yes or no, and how columns of values lie over groups and harms: what predicates are made of.
#pragma once

#include "base/labels.hpp"
#include "base/memory.hpp"

namespace clusterdiff {

// One bit for each question; diff/features.py has them in this order.
enum Look : u32 {
    kInitial = 1u << 0,
    kOneLetter = 1u << 1,
    kDigit = 1u << 2,
    kOnlyDigits = 1u << 3,
    kNotAscii = 1u << 4,
    kCapitals = 1u << 5,
    kLowerCase = 1u << 6,
    kOneWord = 1u << 7,
    kThreeWords = 1u << 8,
    kHyphen = 1u << 9,
    kFullStop = 1u << 10,
    kComma = 1u << 11,
    kApostrophe = 1u << 12,
    kBracket = 1u << 13,
    kSlash = 1u << 14,
    kAmpersand = 1u << 15,
    kExtraSpaces = 1u << 16,
    kEmpty = 1u << 17,
};

struct Looks {
    Buffer<u32> flags;
    Buffer<i64> length;  // in characters
    Buffer<u8> first;    // the first character as a capital, if it is ASCII; 0 otherwise
};

// Of `n` texts in UTF-8, each of which ends with a line break.
Looks looks(const u8* text, i64 bytes, i64 n, Run& run);

// How the value of each point agrees with those of its group: 1 if another value is commoner there, and 2 if there are
// several. Points whose code is `none` have no value, and points in no group are 0.
template <class Code>
Buffer<u8> agreement(const i64* indptr, i64 k, const i64* members, const Code* codes, i64 n, Code none, Run& run);

// For each code, the sums of the rows that its `n` points have: row of[i], one of `classes`, has `width` numbers.
template <class Code>
Buffer<double> code_sums(const Code* codes, i64 n, i64 k, const i32* of, const double* rows, i64 classes, i64 width, Run& run);

}  // namespace clusterdiff
