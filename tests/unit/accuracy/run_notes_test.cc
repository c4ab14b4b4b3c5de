#include "accuracy/run_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plumb::accuracy {
namespace {

TEST(RunNotes, AreReadBackAsTheyWere) {
  nlohmann::ordered_json options{{"engine", "bab"}};
  add_notes(options, {property::ImageShape{3, 32, 16, true}, "1/255", "hwc", spans_of({7, 3, 4, 5})});
  const RunNotes notes = notes_of(options.dump());
  ASSERT_TRUE(notes.image);
  EXPECT_EQ(notes.image->channels, 3);
  EXPECT_EQ(notes.image->height, 32);
  EXPECT_EQ(notes.image->width, 16);
  EXPECT_TRUE(notes.image->channels_last);
  EXPECT_EQ(notes.scale, "1/255");
  EXPECT_EQ(notes.layout, "hwc");
  ASSERT_EQ(notes.samples.size(), 2U);
  EXPECT_EQ(notes.samples[0].first, 3);
  EXPECT_EQ(notes.samples[0].last, 6);
  EXPECT_EQ(notes.samples[1].first, 7);
  EXPECT_EQ(notes.samples[1].last, 8);
}

TEST(RunNotes, SamplesOfSeveralRunsAreCountedOnce) {
  std::vector<store::RunRecord> runs(4);  // the last one is of an older version
  const std::vector<std::vector<std::int64_t>> samples{{0, 1, 2, 3, 9}, {2, 3, 4}, {20, 21}};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    nlohmann::ordered_json options;
    RunNotes notes;
    notes.samples = spans_of(samples[i]);
    notes.folder = "/home/me";
    add_notes(options, notes);
    runs[i].info.options = options.dump();
    EXPECT_EQ(notes_of(runs[i].info.options).folder, "/home/me");
  }
  EXPECT_EQ(asked_samples(runs), 8);
  EXPECT_EQ(asked_samples({}), 0);
}

TEST(RunNotes, OfAnOlderRunAreEmpty) {
  for (const char* options : {"{}", "", "not JSON", R"({"engine":"bab"})", R"({"samples":7,"image":null})"}) {
    const RunNotes notes = notes_of(options);
    EXPECT_FALSE(notes.image) << options;
    EXPECT_TRUE(notes.samples.empty()) << options;
  }
}

TEST(RunNotes, TheLatestRunThatSaysSoSaysHowInputsAreImages) {
  nlohmann::ordered_json older, newer;
  add_notes(older, {property::ImageShape{1, 8, 8, false}, "", "", {}});
  add_notes(newer, {property::ImageShape{1, 4, 16, false}, "", "", {}});
  const std::vector<store::RunRecord> runs{{1, 0, {}, "", {"", "", "", older.dump()}},
                                           {2, 0, {}, "", {"", "", "", newer.dump()}},
                                           {3, 0, {}, "", {"", "", "", "{}"}}};
  EXPECT_EQ(noted_image(runs)->height, 4);
  EXPECT_FALSE(noted_image({}));
}

}  // namespace
}  // namespace plumb::accuracy
