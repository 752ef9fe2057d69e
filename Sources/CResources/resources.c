#include "CResources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"
#define TEXT (const unsigned char[])

// clang-format off
static const CResource resources[] = {
    // The pages of docs, in the order of their list.
    {"docs/topics.md", TEXT{
#embed "../../docs/README.md" suffix(, 0)
    }},
    {"docs/agents.md", TEXT{
#embed "../../docs/agents.md" suffix(, 0)
    }},
    {"docs/agents-skill.md", TEXT{
#embed "../../docs/agents-skill.md" suffix(, 0)
    }},
    {"docs/agreement.md", TEXT{
#embed "../../docs/agreement.md" suffix(, 0)
    }},
    {"docs/api.md", TEXT{
#embed "../../docs/api.md" suffix(, 0)
    }},
    {"docs/architecture.md", TEXT{
#embed "../../docs/architecture.md" suffix(, 0)
    }},
    {"docs/audit.md", TEXT{
#embed "../../docs/audit.md" suffix(, 0)
    }},
    {"docs/capture.md", TEXT{
#embed "../../docs/capture.md" suffix(, 0)
    }},
    {"docs/console.md", TEXT{
#embed "../../docs/console.md" suffix(, 0)
    }},
    {"docs/console-lines.md", TEXT{
#embed "../../docs/console-lines.md" suffix(, 0)
    }},
    {"docs/contradictions.md", TEXT{
#embed "../../docs/contradictions.md" suffix(, 0)
    }},
    {"docs/device-evidence.md", TEXT{
#embed "../../docs/device-evidence.md" suffix(, 0)
    }},
    {"docs/evidence.md", TEXT{
#embed "../../docs/evidence.md" suffix(, 0)
    }},
    {"docs/exit-codes.md", TEXT{
#embed "../../docs/exit-codes.md" suffix(, 0)
    }},
    {"docs/fleet.md", TEXT{
#embed "../../docs/fleet.md" suffix(, 0)
    }},
    {"docs/gateway.md", TEXT{
#embed "../../docs/gateway.md" suffix(, 0)
    }},
    {"docs/lint.md", TEXT{
#embed "../../docs/lint.md" suffix(, 0)
    }},
    {"docs/macos.md", TEXT{
#embed "../../docs/macos.md" suffix(, 0)
    }},
    {"docs/metrics.md", TEXT{
#embed "../../docs/metrics.md" suffix(, 0)
    }},
    {"docs/options.md", TEXT{
#embed "../../docs/options.md" suffix(, 0)
    }},
    {"docs/page.md", TEXT{
#embed "../../docs/page.md" suffix(, 0)
    }},
    {"docs/probe.md", TEXT{
#embed "../../docs/probe.md" suffix(, 0)
    }},
    {"docs/record.md", TEXT{
#embed "../../docs/record.md" suffix(, 0)
    }},
    {"docs/recordings.md", TEXT{
#embed "../../docs/recordings.md" suffix(, 0)
    }},
    {"docs/replay.md", TEXT{
#embed "../../docs/replay.md" suffix(, 0)
    }},
    {"docs/report.md", TEXT{
#embed "../../docs/report.md" suffix(, 0)
    }},
    {"docs/setup.md", TEXT{
#embed "../../docs/setup.md" suffix(, 0)
    }},
    {"docs/sources.md", TEXT{
#embed "../../docs/sources.md" suffix(, 0)
    }},
    {"docs/threat-model.md", TEXT{
#embed "../../docs/threat-model.md" suffix(, 0)
    }},
    {"docs/traffic.md", TEXT{
#embed "../../docs/traffic.md" suffix(, 0)
    }},
    {"docs/coming-from.md", TEXT{
#embed "../../docs/coming-from.md" suffix(, 0)
    }},
    {"docs/install.md", TEXT{
#embed "../../docs/install.md" suffix(, 0)
    }},
    {"docs/transparent.md", TEXT{
#embed "../../docs/transparent.md" suffix(, 0)
    }},
    {"docs/verdicts.md", TEXT{
#embed "../../docs/verdicts.md" suffix(, 0)
    }},
    {"docs/witness.md", TEXT{
#embed "../../docs/witness.md" suffix(, 0)
    }},
    {"docs/ci/README.md", TEXT{
#embed "../../docs/ci/README.md" suffix(, 0)
    }},
    {"docs/ci/bitrise.md", TEXT{
#embed "../../docs/ci/bitrise.md" suffix(, 0)
    }},
    {"docs/ci/device-clouds.md", TEXT{
#embed "../../docs/ci/device-clouds.md" suffix(, 0)
    }},
    {"docs/ci/fastlane.md", TEXT{
#embed "../../docs/ci/fastlane.md" suffix(, 0)
    }},
    {"docs/ci/github-actions.md", TEXT{
#embed "../../docs/ci/github-actions.md" suffix(, 0)
    }},
    {"docs/ci/gitlab.md", TEXT{
#embed "../../docs/ci/gitlab.md" suffix(, 0)
    }},
    {"docs/ci/jenkins.md", TEXT{
#embed "../../docs/ci/jenkins.md" suffix(, 0)
    }},
    {"docs/ci/ui-tests.md", TEXT{
#embed "../../docs/ci/ui-tests.md" suffix(, 0)
    }},
    {"docs/ci/xcode.md", TEXT{
#embed "../../docs/ci/xcode.md" suffix(, 0)
    }},
    {"docs/law/addresses.md", TEXT{
#embed "../../docs/law/addresses.md" suffix(, 0)
    }},
    {"docs/law/domains.md", TEXT{
#embed "../../docs/law/domains.md" suffix(, 0)
    }},
    {"docs/law/errors.md", TEXT{
#embed "../../docs/law/errors.md" suffix(, 0)
    }},
    {"docs/law/keys.md", TEXT{
#embed "../../docs/law/keys.md" suffix(, 0)
    }},
    {"docs/law/hellos.md", TEXT{
#embed "../../docs/law/hellos.md" suffix(, 0)
    }},
    {"docs/law/loaders.md", TEXT{
#embed "../../docs/law/loaders.md" suffix(, 0)
    }},
    {"docs/law/niap.md", TEXT{
#embed "../../docs/law/niap.md" suffix(, 0)
    }},
    {"docs/law/nscurl.md", TEXT{
#embed "../../docs/law/nscurl.md" suffix(, 0)
    }},
    {"docs/law/pinning.md", TEXT{
#embed "../../docs/law/pinning.md" suffix(, 0)
    }},
    {"docs/law/profiles.md", TEXT{
#embed "../../docs/law/profiles.md" suffix(, 0)
    }},
    {"docs/law/refusals.md", TEXT{
#embed "../../docs/law/refusals.md" suffix(, 0)
    }},
    {"docs/law/rulings.md", TEXT{
#embed "../../docs/law/rulings.md" suffix(, 0)
    }},
    {"docs/law/tls.md", TEXT{
#embed "../../docs/law/tls.md" suffix(, 0)
    }},
    {"docs/law/transparency.md", TEXT{
#embed "../../docs/law/transparency.md" suffix(, 0)
    }},
    {"docs/law/trust.md", TEXT{
#embed "../../docs/law/trust.md" suffix(, 0)
    }},
    {"docs/questions/frameworks.md", TEXT{
#embed "../../docs/questions/frameworks.md" suffix(, 0)
    }},
    {"docs/questions/is-it-ats.md", TEXT{
#embed "../../docs/questions/is-it-ats.md" suffix(, 0)
    }},
    {"docs/questions/local-names.md", TEXT{
#embed "../../docs/questions/local-names.md" suffix(, 0)
    }},
    {"docs/questions/own-ca.md", TEXT{
#embed "../../docs/questions/own-ca.md" suffix(, 0)
    }},
    {"docs/questions/pins.md", TEXT{
#embed "../../docs/questions/pins.md" suffix(, 0)
    }},
    {"docs/questions/retry.md", TEXT{
#embed "../../docs/questions/retry.md" suffix(, 0)
    }},
    {"docs/questions/simulator-and-device.md", TEXT{
#embed "../../docs/questions/simulator-and-device.md" suffix(, 0)
    }},
    // The live page, the page for devices, and the parts of a report in HTML.
    {"page/address.js", TEXT{
#embed "../ControlPlane/Page/address.js" suffix(, 0)
    }},
    {"page/api.js", TEXT{
#embed "../ControlPlane/Page/api.js" suffix(, 0)
    }},
    {"page/app.js", TEXT{
#embed "../ControlPlane/Page/app.js" suffix(, 0)
    }},
    {"page/board.js", TEXT{
#embed "../ControlPlane/Page/board.js" suffix(, 0)
    }},
    {"page/comparison.js", TEXT{
#embed "../ControlPlane/Page/comparison.js" suffix(, 0)
    }},
    {"page/copies.js", TEXT{
#embed "../ControlPlane/Page/copies.js" suffix(, 0)
    }},
    {"page/detail.js", TEXT{
#embed "../ControlPlane/Page/detail.js" suffix(, 0)
    }},
    {"page/devices.js", TEXT{
#embed "../ControlPlane/Page/devices.js" suffix(, 0)
    }},
    {"page/dictionary.js", TEXT{
#embed "../ControlPlane/Page/dictionary.js" suffix(, 0)
    }},
    {"page/dom.js", TEXT{
#embed "../ControlPlane/Page/dom.js" suffix(, 0)
    }},
    {"page/downloads.js", TEXT{
#embed "../ControlPlane/Page/downloads.js" suffix(, 0)
    }},
    {"page/empty.js", TEXT{
#embed "../ControlPlane/Page/empty.js" suffix(, 0)
    }},
    {"page/facts.js", TEXT{
#embed "../ControlPlane/Page/facts.js" suffix(, 0)
    }},
    {"page/filters.js", TEXT{
#embed "../ControlPlane/Page/filters.js" suffix(, 0)
    }},
    {"page/fleet.js", TEXT{
#embed "../ControlPlane/Page/fleet.js" suffix(, 0)
    }},
    {"page/found.js", TEXT{
#embed "../ControlPlane/Page/found.js" suffix(, 0)
    }},
    {"page/hosts.js", TEXT{
#embed "../ControlPlane/Page/hosts.js" suffix(, 0)
    }},
    {"page/index.html", TEXT{
#embed "../ControlPlane/Page/index.html" suffix(, 0)
    }},
    {"page/latest.js", TEXT{
#embed "../ControlPlane/Page/latest.js" suffix(, 0)
    }},
    {"page/lists.css", TEXT{
#embed "../ControlPlane/Page/lists.css" suffix(, 0)
    }},
    {"page/loads.js", TEXT{
#embed "../ControlPlane/Page/loads.js" suffix(, 0)
    }},
    {"page/lost.js", TEXT{
#embed "../ControlPlane/Page/lost.js" suffix(, 0)
    }},
    {"page/no-token.css", TEXT{
#embed "../ControlPlane/Page/no-token.css" suffix(, 0)
    }},
    {"page/no-token.html", TEXT{
#embed "../ControlPlane/Page/no-token.html" suffix(, 0)
    }},
    {"page/page.css", TEXT{
#embed "../ControlPlane/Page/page.css" suffix(, 0)
    }},
    {"page/picture.js", TEXT{
#embed "../ControlPlane/Page/picture.js" suffix(, 0)
    }},
    {"page/recordings.js", TEXT{
#embed "../ControlPlane/Page/recordings.js" suffix(, 0)
    }},
    {"page/roving.js", TEXT{
#embed "../ControlPlane/Page/roving.js" suffix(, 0)
    }},
    {"page/sort.js", TEXT{
#embed "../ControlPlane/Page/sort.js" suffix(, 0)
    }},
    {"page/timeline.js", TEXT{
#embed "../ControlPlane/Page/timeline.js" suffix(, 0)
    }},
    {"page/whatif.js", TEXT{
#embed "../ControlPlane/Page/whatif.js" suffix(, 0)
    }},
    {"device/onboarding.css", TEXT{
#embed "../Onboarding/Page/onboarding.css" suffix(, 0)
    }},
    {"device/onboarding.js", TEXT{
#embed "../Onboarding/Page/onboarding.js" suffix(, 0)
    }},
    {"device/witness.js", TEXT{
#embed "../Onboarding/Page/witness.js" suffix(, 0)
    }},
    {"report/card.mustache", TEXT{
#embed "../Reporting/HTML/Templates/card.mustache" suffix(, 0)
    }},
    {"report/report.css", TEXT{
#embed "../Reporting/HTML/Templates/report.css" suffix(, 0)
    }},
    {"report/report.js", TEXT{
#embed "../Reporting/HTML/Templates/report.js" suffix(, 0)
    }},
    {"report/report.mustache", TEXT{
#embed "../Reporting/HTML/Templates/report.mustache" suffix(, 0)
    }},
    {"fleet/roles.sql", TEXT{
#embed "../Fleet/Schema/roles.sql" suffix(, 0)
    }},
    {"fleet/schema.sql", TEXT{
#embed "../Fleet/Schema/schema.sql" suffix(, 0)
    }},
};
// clang-format on

const CResource *cresource(long place) {
    return place < (long)(sizeof resources / sizeof *resources) ? resources + place : 0;
}
