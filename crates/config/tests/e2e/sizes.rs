//! Sizes of requests and replies: which can be drawn, and the files they are drawn from.

use crate::common::{faults, new_warnings as warnings, with};
use packetloom_config::load;
use packetloom_traffic::generator::sizes::Sizes;
use serde_json::{Value, json as j};

const TCP: &str = "tcp-16-hosts";
const APPLICATION: &str = "/applications/0/typedParameters";

/// What is wrong once attributes of the application are replaced.
fn wrong(attributes: Value) -> Vec<String> {
    faults(TCP, &[(APPLICATION, attributes)])
}

#[test]
fn sizes_that_cannot_be_drawn() {
    let at = "applications[0].typedParameters";
    let above = [format!(
        "{at}.ReplySizeMin: the smallest size, 10001 B, is above the largest, 10000 B; lower the one or raise the other"
    )];
    for distribution in ["uniform", "normal"] {
        assert_eq!(
            wrong(j!({ "ReplySizeDistribution": distribution, "ReplySizeMin": "10001 B" })),
            above
        );
    }
    // Where Max is not used it is judged if the document gives it.
    for distribution in ["uniform", "normal", "constant", "empirical"] {
        assert_eq!(
            wrong(
                j!({ "ReplySizeDistribution": distribution, "ReplySizeMin": "10001 B", "ReplySizeMax": "10000 B" })
            ),
            above
        );
    }
    assert_eq!(
        wrong(j!({ "ReplySizeDistribution": "constant", "ReplySizeMax": "999 B" })),
        [format!(
            "{at}.ReplySizeMin: the smallest size, 1000 B, is above the largest, 999 B; lower the one or raise the other"
        )]
    );
    // The window is 6,000 +- 3,000: 3,000 to 9,000.
    assert_eq!(
        wrong(j!({ "AverageRequestSize": "6 KB" })),
        [format!(
            "{at}.AverageRequestSize: no size is within 3000 B (the largest size) of the average, 6000 B, and at most \
             3000 B too; make the average less than 6000 B"
        )]
    );
    assert_eq!(
        wrong(j!({ "AverageRequestSize": "5999 B" })),
        [format!(
            "{at}.AverageRequestSize: so few sizes lie within 3000 B (the largest size) of the average, 5999 B, and are \
             from 400 B to 3000 B too that one would take more than 10000 draws of the normal distribution on average; \
             bring the average closer to that range"
        )]
    );
    assert_eq!(wrong(j!({ "AverageRequestSize": "5 KB" })), [""; 0]);
    // A constant size is Min; the others are not used.
    assert_eq!(
        wrong(j!({ "ReplySizeDistribution": "constant", "ReplySizeMin": "1 MB" })),
        [""; 0]
    );
    // What could not be read is not judged by its default.
    assert_eq!(
        wrong(j!({ "ReplySizeMin": "20 KB", "ReplySizeMax": 30_000 })),
        [format!(
            "{at}.ReplySizeMax: 30000 has no unit; give one of B, KB, KiB, MB, MiB, GB, GiB"
        )]
    );
}

#[test]
fn files_of_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("document.json");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let empirical = |file: &str| {
        let attributes = j!({ "ReplySizeDistribution": "empirical", "ReplySizeFile": file });
        write(
            "document.json",
            &with(TCP, &[(APPLICATION, attributes)]).to_string(),
        );
        load::check(&document, &[])
    };
    let refused = |file: &str| empirical(file).unwrap_err().to_string();
    let at = "applications[0].typedParameters.ReplySizeFile";
    let here = folder.path().display();
    let remedy = "name a file of cumulative probabilities";

    write("good.cdf", "# size, probability\n100 0.5\n200 1\n");
    let scenario = empirical("good.cdf").unwrap();
    let cdf = packetloom_traffic::generator::cdf::Cdf::parse("100 0.5\n200 1").unwrap();
    assert_eq!(
        scenario.applications[0].attributes.generator().unwrap().reply,
        Sizes::empirical(std::sync::Arc::new(cdf))
    );
    // Both ways to come from a file to a scenario look in its folder, and an absolute path is one anywhere.
    let by_steps = packetloom_config::validate(&load::load(&document).unwrap());
    assert_eq!(by_steps.unwrap(), scenario);
    assert!(empirical(&format!("{here}/good.cdf")).is_ok());

    assert_eq!(
        wrong(j!({ "ReplySizeDistribution": "empirical" })),
        [format!(
            "{at}: is missing, though ReplySizeDistribution is empirical; {remedy}"
        )]
    );
    // A template is in no folder.
    assert_eq!(
        wrong(j!({ "ReplySizeDistribution": "empirical", "ReplySizeFile": "no.cdf" })),
        [format!(
            "{at}: no.cdf: there is no such file; {remedy}, as seen from the current folder"
        )]
    );
    let remedy = format!("{remedy}, as seen from the folder of the document");
    assert_eq!(
        refused("no.cdf"),
        format!("{at}: {here}/no.cdf: there is no such file; {remedy}")
    );
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    assert_eq!(
        refused("folder"),
        format!("{at}: {here}/folder: is not a file; {remedy}")
    );
    std::fs::write(folder.path().join("binary"), [0xff, 0xfe]).unwrap();
    assert_eq!(
        refused("binary"),
        format!("{at}: {here}/binary: is not text in UTF-8; {remedy}")
    );
    assert_eq!(
        refused("a\u{0}b"),
        format!("{at}: {here}/a\\u{{0}}b: is not a path of a file; {remedy}")
    );
    write("empty.cdf", "# nothing\n");
    assert!(refused("empty.cdf").starts_with(&format!("{at}: {here}/empty.cdf, line 1: ")));
    write("falls.cdf", "100 0.5\n200 0.4\n300 1\n");
    assert!(refused("falls.cdf").starts_with(&format!("{at}: {here}/falls.cdf, line 2: ")));
    write("short.cdf", "100 0.5\n200 0.9\n");
    assert_eq!(
        refused("short.cdf"),
        format!(
            "{at}: {here}/short.cdf, line 2: the last cumulative probability is 0.9; end with the largest size and 1"
        )
    );

    // A file without the distribution is not read.
    let unused = j!({ "RequestSizeFile": "no.cdf" });
    assert_eq!(
        warnings(TCP, &[(APPLICATION, unused)]),
        [
            "applications[0].typedParameters.RequestSizeFile has no effect: RequestSizeDistribution is normal, not empirical"
        ]
    );
}
