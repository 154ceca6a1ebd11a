// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense and sparse matrices: products, transposition.
#include "spelling.hpp"

#include <algorithm>
#include <utility>

namespace bench {

namespace {

using Arguments = std::vector<Argument>;
using Range = std::vector<std::size_t>;
using Floats = std::vector<float>;

Arguments with(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

constexpr Tolerance kSums = {1e-4, 1e-4}; ///< sums of positive numbers in any order

std::int32_t integer(std::size_t value) { return static_cast<std::int32_t>(value); }
std::uint32_t unsignedOf(std::size_t value) { return static_cast<std::uint32_t>(value); }

// --- Product of square matrices ---

Floats product(const Floats& a, const Floats& b, std::size_t n) {
  Floats c(n * n);
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t x = 0; x < n; ++x)
        c[y * n + x] += a[y * n + k] * b[k * n + x];
  return c;
}

/// `global` gives the range for matrices of n x n; `tiles` stands between the matrices and n.
Spelling matrixProduct(const char* name, const std::function<Range(std::size_t)>& global, const Range& size,
                       const Arguments& tiles = {}) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t n = static_cast<std::size_t>(scale.pick(512, 128));
            const Floats a = randomFloats(n * n, 0, 1, 1), b = randomFloats(n * n, 0, 1, 2);
            const Arguments arguments = with(with({arg(0), arg(1), arg(2)}, tiles), {integer(n)});
            return {{{input(a), input(b), output<float>(n * n, kSums)}, {}, {{"multiply", global(n), size, arguments}}},
                    2,
                    bytesOf(product(a, b, n))};
          }};
}

// --- Matrix times vector ---

enum class Order : unsigned char { Rows, Columns };

Spelling matrixVector(const char* name, Order order, const std::function<Range(std::size_t)>& global, const Range& size,
                      const Arguments& sums = {}, bool wantsRows = false) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t rows = static_cast<std::size_t>(scale.pick(2048, 256)), columns = rows;
            Floats a = randomFloats(rows * columns, 0, 1, 1);
            const Floats x = randomFloats(columns, 0, 1, 2);
            Floats y(rows);
            for (std::size_t i = 0; i < rows; ++i)
              for (std::size_t k = 0; k < columns; ++k)
                y[i] += a[i * columns + k] * x[k];
            if (order == Order::Columns) {
              const Floats byRows = std::exchange(a, Floats(a.size()));
              for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t k = 0; k < columns; ++k)
                  a[k * rows + i] = byRows[i * columns + k];
            }
            Arguments arguments = with(with({arg(0), arg(1), arg(2)}, sums), {unsignedOf(columns)});
            if (wantsRows) arguments.emplace_back(unsignedOf(rows));
            return {
                {{input(a), input(x), output<float>(rows, kSums)}, {}, {{"multiply", global(rows), size, arguments}}},
                2,
                bytesOf(y)};
          }};
}

// --- Transposition ---

struct Size {
  std::size_t w, h;
};

Spelling transpose(const char* name, const std::function<Range(Size)>& global, const Range& size,
                   const Arguments& more = {}, std::size_t less = 0) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const Size of = {static_cast<std::size_t>(scale.pick(2048, 128)) - less,
                             static_cast<std::size_t>(scale.pick(1024, 64)) - less};
            const Floats in = randomFloats(of.w * of.h, 0, 1, 1);
            Floats out(in.size());
            for (std::size_t y = 0; y < of.h; ++y)
              for (std::size_t x = 0; x < of.w; ++x)
                out[x * of.h + y] = in[y * of.w + x];
            return {{{input(in), output<float>(out.size())},
                     {},
                     {{"transpose", global(of), size, with({arg(0), arg(1), integer(of.w), integer(of.h)}, more)}}},
                    1,
                    bytesOf(out)};
          }};
}

// --- Sparse matrix times vector ---

/// Compressed rows of 8 to 40 elements, 24 on average, in order of their columns.
struct SparseMatrix {
  std::size_t rows;
  std::vector<std::int32_t> starts, columns;
  Floats values;

  explicit SparseMatrix(std::size_t rows) : rows(rows), starts(1) {
    const std::vector<std::uint32_t> lengths = randomInts(rows / 2, 33, 1);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t drawn = lengths[row / 2];
      starts.push_back(starts.back() + integer(row % 2 ? 40 - drawn : 8 + drawn));
    }
    const std::size_t count = static_cast<std::size_t>(starts.back());
    const std::vector<std::uint32_t> places = randomInts(count, unsignedOf(rows), 2);
    columns.assign(places.begin(), places.end());
    values = randomFloats(count, 0, 1, 3);
    for (std::size_t row = 0; row < rows; ++row)
      std::sort(columns.begin() + starts[row], columns.begin() + starts[row + 1]);
  }

  std::int32_t length(std::size_t row) const { return starts[row + 1] - starts[row]; }
};

/// As many elements in each row of a slice as in its longest, by columns; what is missing is 0 times x[0].
struct Sliced {
  std::vector<std::int32_t> starts{0}, columns;
  Floats values;

  Sliced(const SparseMatrix& matrix, std::size_t slice, std::int32_t least = 0) {
    for (std::size_t first = 0; first < matrix.rows; first += slice) {
      std::int32_t most = least;
      for (std::size_t row = first; row < first + slice; ++row)
        most = std::max(most, matrix.length(row));
      for (std::int32_t k = 0; k < most; ++k)
        for (std::size_t row = first; row < first + slice; ++row) {
          const bool there = k < matrix.length(row);
          const std::size_t at = static_cast<std::size_t>(matrix.starts[row]) + static_cast<std::size_t>(k);
          columns.push_back(there ? matrix.columns[at] : 0);
          values.push_back(there ? matrix.values[at] : 0);
        }
      starts.push_back(integer(columns.size()));
    }
  }
};

constexpr std::int32_t kLongest = 40;

/// What a spelling makes of the matrix. After its buffers come x and y.
struct SparseForm {
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
};

Spelling sparse(const char* name, const std::function<SparseForm(const SparseMatrix&)>& form, bool otherWork = false) {
  return {name,
          [=](Scale scale) -> SpelledProblem {
            const SparseMatrix matrix(static_cast<std::size_t>(scale.pick(1 << 16, 1 << 11)));
            const Floats x = randomFloats(matrix.rows, 0, 1, 4);
            Floats y(matrix.rows);
            for (std::size_t row = 0; row < matrix.rows; ++row)
              for (std::int32_t k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k)
                y[row] += matrix.values[static_cast<std::size_t>(k)] *
                          x[static_cast<std::size_t>(matrix.columns[static_cast<std::size_t>(k)])];
            SparseForm made = form(matrix);
            made.buffers.push_back(input(x));
            made.buffers.push_back(output<float>(matrix.rows, kSums));
            const int result = integer(made.buffers.size()) - 1;
            return {{std::move(made.buffers), {}, std::move(made.launches)}, result, bytesOf(y)};
          },
          otherWork};
}

/// With compressed rows; `each` work-items a row. `more` stands after y.
Spelling compressed(const char* name, std::size_t each, std::size_t size,
                    const std::function<Arguments(std::int32_t rows)>& more) {
  return sparse(name, [=](const SparseMatrix& matrix) -> SparseForm {
    return {{input(matrix.starts), input(matrix.columns), input(matrix.values)},
            {{"multiply",
              {matrix.rows * each},
              {size},
              with({arg(0), arg(1), arg(2), arg(3), arg(4)}, more(integer(matrix.rows)))}}};
  });
}

} // namespace

SpellingFamily matrixProductSpellings() {
  const auto elements = [](std::size_t n) { return Range{n, n}; };
  const Range square = {16, 16};
  const Argument tile = local<float>(256);
  return {"matrix_product",
          {matrixProduct("naive", elements, square), matrixProduct("rows_first", elements, square),
           matrixProduct("into_memory", elements, {32, 8}), matrixProduct("group_ids", elements, square),
           matrixProduct("tiles", elements, square), matrixProduct("tiles_by_group_ids", elements, square),
           matrixProduct("tiles_as_arguments", elements, square, {tile, tile}),
           matrixProduct("tiles_transposed", elements, square),
           matrixProduct("linear_local_id", [](std::size_t n) { return Range{n * n}; }, {256}),
           matrixProduct(
               "vectors", [](std::size_t n) { return Range{n / 4, n}; }, square),
           matrixProduct("registers", [](std::size_t n) { return Range{n, n / 4}; }, {32, 8}),
           matrixProduct("row_an_item", [](std::size_t n) { return Range{n}; }, {64}, {local<float>(512)})}};
}

SpellingFamily matrixVectorSpellings() {
  const auto rows = [](std::size_t n) { return Range{n}; };
  return {
      "matrix_vector",
      {matrixVector("row_an_item", Order::Rows, rows, {64}), matrixVector("into_memory", Order::Rows, rows, {256}),
       matrixVector("pointer_walk", Order::Rows, rows, {64}),
       matrixVector(
           "grid_of_rows", Order::Rows, [](std::size_t n) { return Range{n / 4}; }, {64}, {}, true),
       matrixVector("vectors", Order::Rows, rows, {64}), matrixVector("local_x", Order::Rows, rows, {64}),
       matrixVector("group_a_row", Order::Rows, [](std::size_t n) { return Range{n * 64}; }, {64}, {local<float>(64)}),
       matrixVector(
           "groups_take_rows", Order::Rows, [](std::size_t n) { return Range{n / 16 * 256}; }, {256},
           {local<float>(256)}, true),
       matrixVector("part_a_row", Order::Rows, [](std::size_t n) { return Range{16, n}; }, {16, 16}),
       matrixVector("columns", Order::Columns, rows, {64}),
       matrixVector("columns_local_x", Order::Columns, rows, {128}, {local<float>(128)})}};
}

SpellingFamily transposeSpellings() {
  const auto elements = [](Size of) { return Range{of.w, of.h}; };
  const auto linear = [](Size of) { return Range{of.w * of.h}; };
  const auto rounded = [](Size of) { return Range{(of.w + 15) / 16 * 16, (of.h + 15) / 16 * 16}; };
  const Range square = {16, 16};
  const Argument tile = local<float>(16 * 17);
  return {"transpose",
          {transpose("naive", elements, square),
           transpose(
               "naive_writes_rows", [](Size of) { return Range{of.h, of.w}; }, square),
           transpose("tile", elements, square), transpose("tile_padded", rounded, square, {tile}, 1),
           transpose("tile_four_rows", [](Size of) { return Range{of.w, of.h / 4}; }, {32, 8}),
           transpose("tile_diagonal", elements, square), transpose("linear_id", linear, {256}),
           transpose("linear_id_of_result", linear, {256}),
           transpose("blocks_of_vectors", [](Size of) { return Range{of.w / 4, of.h / 4}; }, {16, 4}),
           transpose("odd_size", rounded, square, {}, 1),
           transpose("row_an_item", [](Size of) { return Range{of.h}; }, {64})}};
}

SpellingFamily sparseSpellings() {
  const auto nothing = [](std::int32_t) { return Arguments{}; };
  const auto rows = [](std::int32_t count) { return Arguments{count}; };
  return {"sparse",
          {compressed("csr_scalar", 1, 256, rows), compressed("csr_into_memory", 1, 64, rows),
           compressed("csr_vector", 32, 256, [](std::int32_t count) { return Arguments{count, local<float>(256)}; }),
           compressed("csr_vector_volatile", 32, 128,
                      [](std::int32_t count) { return Arguments{count, local<float>(128)}; }),
           compressed("csr_group", 32, 32, [](std::int32_t) { return Arguments{local<float>(32)}; }),
           compressed("csr_stream", 1, 128, nothing),
           sparse("ell",
                  [](const SparseMatrix& matrix) -> SparseForm {
                    const Sliced ell(matrix, matrix.rows, kLongest);
                    return {{input(ell.columns), input(ell.values)},
                            {{"multiply",
                              {matrix.rows},
                              {256},
                              {arg(0), arg(1), arg(2), arg(3), integer(matrix.rows), kLongest}}}};
                  }),
           sparse("ell_lengths",
                  [](const SparseMatrix& matrix) -> SparseForm {
                    const Sliced ell(matrix, matrix.rows, kLongest);
                    std::vector<std::int32_t> lengths(matrix.rows);
                    for (std::size_t row = 0; row < matrix.rows; ++row)
                      lengths[row] = matrix.length(row);
                    return {{input(ell.columns), input(ell.values), input(lengths)},
                            {{"multiply",
                              {matrix.rows},
                              {128},
                              {arg(0), arg(1), arg(2), arg(3), arg(4), integer(matrix.rows)}}}};
                  }),
           sparse("sliced",
                  [](const SparseMatrix& matrix) -> SparseForm {
                    const Sliced sliced(matrix, 32);
                    return {{input(sliced.starts), input(sliced.columns), input(sliced.values)},
                            {{"multiply", {matrix.rows}, {128}, {arg(0), arg(1), arg(2), arg(3), arg(4)}}}};
                  }),
           sparse(
               "coordinates",
               [](const SparseMatrix& matrix) -> SparseForm {
                 std::vector<std::int32_t> rowOf;
                 for (std::size_t row = 0; row < matrix.rows; ++row)
                   rowOf.insert(rowOf.end(), static_cast<std::size_t>(matrix.length(row)), integer(row));
                 const std::int32_t each = 64;
                 return {{input(rowOf), input(matrix.columns), input(matrix.values)},
                         {{"clear", {matrix.rows}, {}, {arg(4)}},
                          {"multiply",
                           {rowOf.size() / static_cast<std::size_t>(each)},
                           {64},
                           {arg(0), arg(1), arg(2), arg(3), arg(4), each}}}};
               },
               true)}};
}

} // namespace bench
