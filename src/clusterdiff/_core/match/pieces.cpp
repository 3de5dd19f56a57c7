#include "match/pieces.hpp"

#include <mutex>

namespace clusterdiff {

i64 BatchPieces::read(Run& run, Call<const Piece&, int> f) {
    std::mutex turn;
    Piece last{nullptr, 0, 0, 0};
    bool over = false;
    auto take = [&] {
        std::lock_guard lock(turn);
        while (!over && (!last.batch || last.end == (*last.batch)->length)) {
            over = true;  // also if what follows fails
            last = {std::make_shared<Released<ArrowArray>>(batches_.next()), 0, 0, last.row + last.end - last.begin};
            over = !(*last.batch)->release;
        }
        if (over) return Piece{};
        last = {last.batch, last.end, std::min((*last.batch)->length, last.end + Piece::kRows), last.row + last.end - last.begin};
        return last;
    };
    run.workers(run.threads(), [&](int worker) {
        for (;;) {
            run.poll();
            const Piece piece = take();
            if (!piece.batch) return;
            f(piece, worker);
        }
    });
    return last.row;
}

}  // namespace clusterdiff
