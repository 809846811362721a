//! Follows every page link from the start page given as the argument, on its host.
use spider::{tokio, website::Website};

const CONCURRENCY: usize = 64;

#[tokio::main]
async fn main() {
    let start = std::env::args().nth(1).expect("the start page");
    let mut website = Website::new(&start);
    website
        .with_concurrency_limit(Some(CONCURRENCY))
        .with_delay(0)
        .with_respect_robots_txt(false);
    website.crawl().await;
}
