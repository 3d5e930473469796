// Small files in the formats of pairs, written by hand.
#pragma once

#include <string>

namespace cairn::test {

/// Two questions of one original question, the first with three comments; the other thread is skipped in subtask A.
inline const std::string forum_xml = R"(<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE xml [
<!ELEMENT xml (OrgQuestion*)>
]>
<xml version="1.0">
<OrgQuestion ORGQ_ID="Q1">
  <OrgQSubject>Good bank</OrgQSubject>
  <OrgQBody>Which bank is &quot;good&quot; ?</OrgQBody>
  <Thread THREAD_SEQUENCE="Q1_R4">
    <RelQuestion RELQ_ID="Q1_R4" RELQ_RANKING_ORDER="4" RELQ_CATEGORY="Advice" RELQ_DATE="2013" RELQ_USERID="U1" RELQ_USERNAME="a" RELQ_RELEVANCE2ORGQ="PerfectMatch">
      <RelQSubject>Best Bank</RelQSubject>
      <RelQBody>Which bank is best ?</RelQBody>
    </RelQuestion>
    <RelComment RELC_ID="Q1_R4_C1" RELC_DATE="2013" RELC_USERID="U2" RELC_USERNAME="b" RELC_RELEVANCE2ORGQ="Good" RELC_RELEVANCE2RELQ="Good">
      <RelCText>The Best bank is mine</RelCText>
    </RelComment>
    <RelComment RELC_ID="Q1_R4_C2" RELC_DATE="2013" RELC_USERID="U1" RELC_USERNAME="a" RELC_RELEVANCE2ORGQ="Bad" RELC_RELEVANCE2RELQ="PotentiallyUseful">
      <RelCText>Thanks !!</RelCText>
    </RelComment>
    <RelComment RELC_ID="Q1_R4_C3" RELC_DATE="2013" RELC_USERID="U2" RELC_USERNAME="b" RELC_RELEVANCE2ORGQ="Bad" RELC_RELEVANCE2RELQ="Bad">
      <RelCText>See www.x.org ?</RelCText>
    </RelComment>
  </Thread>
</OrgQuestion>
<OrgQuestion ORGQ_ID="Q1">
  <OrgQSubject>Good bank</OrgQSubject>
  <OrgQBody>Which bank is &quot;good&quot; ?</OrgQBody>
  <Thread THREAD_SEQUENCE="Q1_R7" SubtaskA_Skip_Because_Same_As_RelQuestion_ID="Q9_R1">
    <RelQuestion RELQ_ID="Q1_R7" RELQ_RANKING_ORDER="7" RELQ_CATEGORY="Advice" RELQ_DATE="2013" RELQ_USERID="U3" RELQ_USERNAME="c" RELQ_RELEVANCE2ORGQ="Irrelevant">
      <RelQSubject>Car</RelQSubject>
      <RelQBody></RelQBody>
    </RelQuestion>
    <RelComment RELC_ID="Q1_R7_C1" RELC_DATE="2013" RELC_USERID="U1" RELC_USERNAME="a" RELC_RELEVANCE2ORGQ="Bad" RELC_RELEVANCE2RELQ="Good">
      <RelCText>No car</RelCText>
    </RelComment>
  </Thread>
</OrgQuestion>
</xml>
)";

inline const std::string forum_chunks =
    "# id = "
    "Q1\nGood\tJJ\tB-NP\nbank\tNN\tI-NP\n\nWhich\tWDT\tB-NP\nbank\tNN\tI-NP\nis\tVBZ\tB-VP\ngood\tJJ\tB-ADJP\n?\t."
    "\tO\n\n"
    "# id = "
    "Q1_R4\nBest\tJJS\tB-NP\nBank\tNN\tI-NP\n\nWhich\tWDT\tB-NP\nbank\tNN\tI-NP\nis\tVBZ\tB-VP\nbest\tJJS\tB-ADJP\n?\t."
    "\tO\n\n"
    "# id = Q1_R4_C1\nThe\tDT\tB-NP\nBest\tJJS\tI-NP\nbank\tNN\tI-NP\nis\tVBZ\tB-VP\nmine\tPRP\tB-NP\n\n"
    "# id = Q1_R4_C2\nThanks\tNNS\tB-NP\n!\t.\tO\n!\t.\tO\n\n"
    "# id = Q1_R4_C3\nSee\tVB\tB-VP\nwww.x.org\tNN\tB-NP\n?\t.\tO\n\n"
    "# id = Q1_R7\nCar\tNN\tB-NP\n.\t.\tO\n\n"
    "# id = Q1_R7_C1\nNo\tDT\tB-NP\ncar\tNN\tI-NP\n";

}  // namespace cairn::test
