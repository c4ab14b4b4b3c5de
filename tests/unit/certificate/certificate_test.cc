// The file: complete or absent.
#include "certificate/certificate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/file.h"

namespace plumb::certificate {
namespace {

namespace fs = std::filesystem;

class CertificateTest : public ::testing::Test {
 protected:
  CertificateTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("certificate-") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CertificateTest() override { fs::remove_all(folder_); }

  static NetworkFile network() {
    std::vector<network::Node> nodes;
    nodes.push_back({"x", network::Input{0}, {}, {1}});
    return {shared(network::Network(std::move(nodes), {{"x", {1}}}, {{"x", {1}, 0}})), std::string(64, 'a')};
  }
  static verdict::Verdict violated(verdict::WitnessEvidence evidence) {
    verdict::Witness witness;
    witness.input = {0.5};
    witness.evidence = evidence;
    return verdict::violated("attack", witness);
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(CertificateTest, OfAWitness) {
  const fs::path file = folder_ / "proof.plumb";
  EXPECT_EQ(Certificate(file, network()).write(violated(verdict::WitnessEvidence::kExact)), "");
  EXPECT_EQ(read_file(file), "plumb certificate\n\x01" + Record(Kind::kAnswer).n(1).text("real").bytes() +
                                 Record(Kind::kNetwork).text(std::string(64, 'a')).bytes() +
                                 Record(Kind::kWitness).n(1).d(0.5).n(0).bytes() + Record(Kind::kEnd).bytes());
  EXPECT_EQ(files(), 1);
}

TEST_F(CertificateTest, HasTheSameBytesEachTime) {
  const auto bytes = [&](const char* name) {
    Certificate(folder_ / name, network()).write(violated(verdict::WitnessEvidence::kExact));
    std::ifstream stream(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  EXPECT_EQ(bytes("first"), bytes("second"));
}

TEST_F(CertificateTest, IsAbsentIfNothingIsProven) {
  const Certificate certificate(folder_ / "proof.plumb", network());
  EXPECT_NE(certificate.write(verdict::unknown("time limit")), "");
  EXPECT_NE(certificate.write(violated(verdict::WitnessEvidence::kFloatOnly)), "");
  EXPECT_EQ(files(), 0);
}

TEST_F(CertificateTest, IsAbsentIfTheSearchReportedNoProof) {
  Certificate certificate(folder_ / "proof.plumb", network());
  const property::Query query(network().network, property::Region(property::Box{{0}, {1}}), {{{{{1}, {}, -1, false}}}});
  certificate.listener().query_begins(query);
  certificate.listener().query_ends(verdict::holds("linear bounds", 1));
  EXPECT_THROW(certificate.write(verdict::holds("linear bounds", 1)), InternalError);
  EXPECT_EQ(files(), 0);
}

TEST_F(CertificateTest, NeedsAFolderThatExists) {
  EXPECT_THROW(Certificate(folder_ / "none" / "proof.plumb", network()), FileError);
  EXPECT_THROW(Certificate(folder_, network()), FileError);
}

}  // namespace
}  // namespace plumb::certificate
