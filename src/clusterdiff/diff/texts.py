"""Two corpora of the same texts: whether their words line up, and which documents only one of them has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from clusterdiff.errors import LabelError, listed
from clusterdiff.messages import Message, joined
from clusterdiff.points.corpus import Corpus
from clusterdiff.points.policy import Policy
from clusterdiff.wording import count


class Divergence(NamedTuple):
    """Where the words of a document differ first, counted from 0, and how many words either side has."""

    document: str
    word: int
    true: tuple[str, ...]
    pred: tuple[str, ...]

    @property
    def ends(self) -> bool:
        """Whether one text is the beginning of the other."""
        return self.word in (len(self.true), len(self.pred))

    @property
    def harmless(self) -> bool:
        """Whether the same number still means the same word: texts differ in spelling, or in where they end."""
        return self.ends or len(self.true) == len(self.pred)

    def told(self, template: str, left: str, right: str, **more: object) -> Message:
        """A message about the word that differs, in the texts of the two sides."""
        words = {"true": self.true[self.word], "pred": self.pred[self.word]}
        return Message(
            template, left=left, right=right, document=self.document, word=self.word, **words, **more
        )


def divergences(true: Corpus, pred: Corpus) -> Iterator[Divergence]:
    """Documents whose words both sides know, and which differ; upper and lower case are the same."""
    for name, words in true.words.items():
        other = pred.words.get(name)
        if other is None or words == other:
            continue
        pairs = enumerate(zip(words, other, strict=False))
        first = next((i for i, (a, b) in pairs if a != b and a.casefold() != b.casefold()), None)
        if first is not None or len(words) != len(other):
            yield Divergence(name, min(len(words), len(other)) if first is None else first, words, other)


def refuse_other_words(true: Corpus, pred: Corpus) -> list[str]:
    """Raise if a span does not mean the same words on both sides; else notices of smaller differences."""
    found = list(divergences(true, pred))
    left, right = names_of(true, pred)
    bad = [divergence for divergence in found if not divergence.harmless]
    if bad:
        first = bad[0]
        also = f" {_also(len(bad) - 1)}." if len(bad) > 1 else ""
        raise LabelError(
            first.told(
                "{left} and {right} do not have the same words in the document {document!r}: word {word:,} (counted "
                "from 0) is {true!r} in {left}, which has {words}, and {pred!r} in {right}, which has {others:,}."
                "{also}",
                left,
                right,
                words=count(len(first.true), "word"),
                others=len(first.pred),
                also=also,
            ),
            Message(
                "mentions are matched by the numbers of their words, so both files must have the same words: put the "
                "mentions of `pred` on the words of `true`."
            ),
        )
    return [
        *_respelt([d for d in found if not d.ends], left, right),
        *_cut([d for d in found if d.ends], left, right),
    ]


def _respelt(found: list[Divergence], left: str, right: str) -> Iterator[str]:
    if found:
        first = found[0]
        also = f" ({_also(len(found) - 1)})" if len(found) > 1 else ""
        yield first.told(
            "{left} and {right} spell the document {document!r} differently: word {word:,} (counted from 0) is "
            "{true!r} and {pred!r}{also}. Mentions are matched by the numbers of their words.",
            left,
            right,
            also=also,
        )


def _cut(found: list[Divergence], left: str, right: str) -> Iterator[str]:
    if found:
        first = found[0]
        short, long = (left, right) if len(first.true) < len(first.pred) else (right, left)
        also = f" ({_also(len(found) - 1)})" if len(found) > 1 else ""
        yield Message(
            "{short} has only the first {word:,} of the {words:,} words that {long} has of the document "
            "{document!r}{also}.",
            short=short,
            long=long,
            words=max(len(first.true), len(first.pred)),
            also=also,
            word=first.word,
            document=first.document,
        )


def _also(number: int) -> str:
    return f"{count(number, 'more document')} {'differs' if number == 1 else 'differ'} too"


def names_of(true: Corpus, pred: Corpus) -> tuple[Message, Message]:
    """What the two sides are called: their files, unless that is one and the same."""
    if true.origin and pred.origin and true.origin != pred.origin:
        return Message.literally(true.origin), Message.literally(pred.origin)
    return Message("`true`"), Message("`pred`")


def lacking(true: Corpus, pred: Corpus) -> tuple[list[str], list[str]]:
    """The documents that only `true` has, and those that only `pred` has."""
    return [name for name in true if name not in pred], [name for name in pred if name not in true]


def check_documents(true: Corpus, pred: Corpus, policy: Policy) -> list[str]:
    """Raise if too many documents have no partner; else notices that name those without one."""
    left, right = names_of(true, pred)
    only_true, only_pred = lacking(true, pred)
    told = {
        side: Message(
            "{one} lacks {number:,} of the {documents} of {other}: {names}.",
            one=one,
            number=len(only),
            documents=count(len(corpus), "document"),
            other=other,
            names=listed(only),
        )
        for side, (one, other, corpus, only) in enumerate(
            [(right, left, true, only_true), (left, right, pred, only_pred)]
        )
        if only
    }
    if len(only_true) == len(true) or (policy.rule.refuses and told):
        raise LabelError(joined(told.values()), "documents are matched by their names.")
    means = policy.rule.documents
    return [joined([lack, means[side]] if means[side] else [lack]) for side, lack in told.items()]
