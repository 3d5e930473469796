#include "cairn/data/documents/tokenizer.hpp"

#include "written_files.hpp"

namespace cairn::test::tokenizer_test {
namespace {

using Words = std::vector<std::string>;

Words cut(const std::string& text, const Tokenization& tokenization = {}, bool sound = true) {
  Tokenizer tokenizer(tokenization);
  Words words;
  EXPECT_EQ(tokenizer.cut(text, [&](std::string_view word) { words.emplace_back(word); }), sound) << text;
  return words;
}

TEST(Tokenizer, TakesRunsOfLettersAndDigitsInSmallLetters) {
  EXPECT_EQ(cut("The 2nd Cat's hat, -- e-mail@Home!\n\tEND"),
            (Words{"the", "2nd", "cat", "s", "hat", "e", "mail", "home", "end"}));
  EXPECT_EQ(cut(""), Words{});
  EXPECT_EQ(cut(" ...\t"), Words{});
}

TEST(Tokenizer, TakesLettersAloneOrWhateverStandsBetweenBlanks) {
  EXPECT_EQ(cut("a1b 22 C", {.pieces = "letters"}), (Words{"a", "b", "c"}));
  EXPECT_EQ(cut("New_York  don't\xC2\xA0[END] 3.5", {.pieces = "blanks"}),
            (Words{"new_york", "don't", "[end]", "3.5"}));
  EXPECT_EQ(cut("The END", {.lower_case = false}), (Words{"The", "END"}));
}

TEST(Tokenizer, KeepsLettersAboveAsciiWhole) {
  EXPECT_EQ(cut("Ärger ÉCOLE naïve straße"), (Words{"ärger", "école", "naïve", "straße"}));
  EXPECT_EQ(cut("ŁÓDŹ Çeşme Ÿ ŒUVRE"), (Words{"łódź", "çeşme", "ÿ", "œuvre"}));
  EXPECT_EQ(cut("ΑΘΉΝΑ Москва ЁЛКА"), (Words{"αθήνα", "москва", "ёлка"}));
  EXPECT_EQ(cut("日本語 العربية हिन्दी"), (Words{"日本語", "العربية", "हिन्दी"}));
  EXPECT_EQ(cut("e\xCC\x81tude"), (Words{"e\xCC\x81tude"}));  // an accent that stands by itself
}

TEST(Tokenizer, PunctuationAndSymbolsAboveAsciiSeparateWords) {
  EXPECT_EQ(cut("“quoted”—dash…end €5 ×2 ¿qué? 日本。東京 a😀b"),
            (Words{"quoted", "dash", "end", "5", "2", "qué", "日本", "東京", "a", "b"}));
}

TEST(Tokenizer, TakesEachCharacterByItself) {
  const Tokenization each{.pieces = "characters"};
  EXPECT_EQ(cut("日本語、２０年。々〆ーab 1é!", each),
            (Words{"日", "本", "語", "２", "０", "年", "々", "〆", "ー", "a", "b", "1", "é"}));
  EXPECT_EQ(cut("\U00020BB7野家", each), (Words{"\U00020BB7", "野", "家"}));  // above U+FFFF
  EXPECT_EQ(cut("中A文", {.pieces = "characters", .lower_case = false}), (Words{"中", "A", "文"}));
  EXPECT_EQ(cut("中\xFF文", each, false), (Words{"中", "文"}));
  EXPECT_EQ(cut("我的书", {.pieces = "characters", .stop_words = {"的"}}), (Words{"我", "书"}));
}

TEST(Tokenizer, PunctuationOfChineseAndJapaneseSeparatesWords) {
  EXPECT_EQ(cut("ジョン・スミス［日本］｛語｝～｢文｣､字｡￥5〽ア゠イ 我爱你，好！"),
            (Words{"ジョン", "スミス", "日本", "語", "文", "字", "5", "ア", "イ", "我爱你", "好"}));
}

TEST(Tokenizer, KnowsPunctuationAndCapitalsOfAllScripts) {
  EXPECT_EQ(cut("होगा। ۱٫۵ καί΄ བོད་ཡིག ราคา฿5"), (Words{"होगा", "۱", "۵", "καί", "བོད", "ཡིག", "ราคา", "5"}));
  EXPECT_EQ(cut("İzmir ȘTEFAN ᲐᲑᲒ ꭰᎠ ＡＢ Ⅷ"),
            (Words{"izmir", "ștefan", "აბგ", "ꭰꭰ", "ａｂ", "ⅷ"}));
  EXPECT_EQ(cut("צה״ל ז׳בוטינסקי"), (Words{"צה״ל", "ז׳בוטינסקי"}));
  EXPECT_EQ(cut("x\xEF\xBB\xBFy I ❤\xEF\xB8\x8F you"), (Words{"x", "y", "i", "you"}));  // invisible characters
  EXPECT_EQ(cut("\U0003FFFDa \U000E1000b"), (Words{"\U0003FFFDa", "b"}));  // not assigned: an ideograph, and another
}

TEST(Tokenizer, DigitsOfAllScriptsAreNoLetters) {
  EXPECT_EQ(cut("بايثون٣ 中２文 x²", {.pieces = "letters"}), (Words{"بايثون", "中", "文", "x"}));
  EXPECT_EQ(cut("بايثون٣ x²"), (Words{"بايثون٣", "x"}));
}

TEST(Tokenizer, AsciiIsCutByItsLettersDigitsAndBlanksAlone) {
  for (int k = 1; k < 128; ++k) {
    const char c = static_cast<char>(k);
    const bool digit = c >= '0' && c <= '9', capital = c >= 'A' && c <= 'Z', letter = capital || (c >= 'a' && c <= 'z');
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    const Words itself{std::string(1, capital ? static_cast<char>(c + 32) : c)};
    EXPECT_EQ(cut({c}), letter || digit ? itself : Words{}) << k;
    EXPECT_EQ(cut({c}, {.pieces = "letters"}), letter ? itself : Words{}) << k;
    EXPECT_EQ(cut({c}, {.pieces = "blanks"}), blank ? Words{} : itself) << k;
  }
}

TEST(Tokenizer, BytesThatAreNotUtf8SeparateWordsAndAreTold) {
  EXPECT_EQ(cut("caf\xE9 bar", {}, false), (Words{"caf", "bar"}));
  EXPECT_EQ(cut("a\xC0\x80z", {}, false), (Words{"a", "z"}));          // too long a form
  EXPECT_EQ(cut("a\xED\xA0\x80z", {}, false), (Words{"a", "z"}));      // half of a pair
  EXPECT_EQ(cut("a\xF4\x90\x80\x80z", {}, false), (Words{"a", "z"}));  // beyond the last character
  EXPECT_EQ(cut("end\xE2\x82", {}, false), (Words{"end"}));            // truncated
}

TEST(Tokenizer, LeavesOutStopWordsAndTheirPieces) {
  Tokenizer tokenizer({.stop_words = {"The", "don't"}});
  Words words;
  tokenizer.cut("the don says THE truth t", [&](std::string_view word) { words.emplace_back(word); });
  EXPECT_EQ(words, (Words{"says", "truth"}));
  EXPECT_EQ(tokenizer.stop_words_met(), 4);
}

TEST(Tokenizer, RefusesUnknownPieces) {
  expect_error([] { const Tokenizer tokenizer({.pieces = "syllables"}); }, ErrorKind::usage,
               {"parameter tokens", "syllables"});
}

TEST(Tokenizer, StripsTagsIfAsked) {
  EXPECT_EQ(cut("a<br />b", {.strips_markup = true}), (Words{"a", "b"}));
  EXPECT_EQ(cut("a<br />b"), (Words{"a", "br", "b"}));
}

TEST(Kmers, AllThatOverlapAreTheWordsOfASequence) {
  EXPECT_EQ(cut("MKva\nC ", {.pieces = "k-mers"}), (Words{"MKV", "KVA", "VAC"}));
  EXPECT_EQ(cut("MKVAC", {.pieces = "k-mers", .kmers = {.length = 5}}), (Words{"MKVAC"}));
}

TEST(Kmers, OtherLettersAreRefusedKeptSplitOrSkipped) {
  const auto with = [](const std::string& letters) {
    return Tokenization{.pieces = "k-mers", .kmers = {.length = 2, .letters = letters}};
  };
  EXPECT_EQ(cut("MK-VX", with("keep")), (Words{"MK", "K-", "-V", "VX"}));
  EXPECT_EQ(cut("MK--VCX", with("split")), (Words{"MK", "VC"}));
  EXPECT_EQ(cut("-MKX", with("split")), (Words{"MK"}));
  EXPECT_EQ(cut("M-KVX", with("skip")), (Words{"MK", "KV"}));
  expect_error([&] { cut("MK V-C", with("refuse")); }, ErrorKind::input,
               {"'-' at position 4 of the sequence", "parameter letters"});
  expect_error([&] { cut("MB", with("refuse")); }, ErrorKind::input, {"'B' at position 2"});
  expect_error([&] { cut("M\xC3", with("refuse")); }, ErrorKind::input, {"byte 0xc3 at position 2"});
  expect_error([&] { cut("MKV", with("drop")); }, ErrorKind::usage, {"parameter letters = 'drop'"});
}

TEST(Kmers, ASequenceShorterThanOneIsRefused) {
  const Tokenization three{.pieces = "k-mers", .kmers = {.length = 3, .letters = "skip"}};
  expect_error([&] { cut("MK", three); }, ErrorKind::input, {"has 2 letters, fewer than parameter kmer-length = 3"});
  expect_error([&] { cut("M--K--", three); }, ErrorKind::input, {"has 2 letters"});
  expect_error([&] { cut("", three); }, ErrorKind::input, {"has 0 letters"});
}

TEST(Utf8, BytesThatAreNoneAreReplaced) {
  bool changed = false;
  EXPECT_EQ(as_utf8("naïve", changed), "naïve");
  EXPECT_FALSE(changed);
  EXPECT_EQ(as_utf8("a\xE9z", changed), "a\xEF\xBF\xBDz");
  EXPECT_TRUE(changed);
}

TEST(StopWords, AreTheLinesOfAFile) {
  const WrittenFiles files;
  EXPECT_EQ(read_stop_words(world(), files.write("stop.txt", "a\n\n the \nof")), (Words{"a", " the ", "of"}));
}

}  // namespace
}  // namespace cairn::test::tokenizer_test
