"""Follows every page link from the start pages, on their hosts: scrapy runspider spider.py -a starts='URL URL …'

With BENCH_SELECTORS, an object of names and selectors, it keeps the text of the first match of each in items.jsonl.
"""

import json
import os
from urllib.parse import urlsplit

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

SELECTORS = json.loads(os.environ.get("BENCH_SELECTORS", "{}"))


class PagesSpider(CrawlSpider):
    name = "pages"
    rules = [Rule(LinkExtractor(), callback="parse_item" if SELECTORS else None, follow=True)]
    custom_settings = {
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        **({"FEEDS": {"items.jsonl": {"format": "jsonlines"}}} if SELECTORS else {}),
    }

    def __init__(self, starts, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = starts.split()
        self.allowed_domains = [urlsplit(start).hostname for start in self.start_urls]

    def parse_item(self, response):
        found = {name: response.css(selector) for name, selector in SELECTORS.items()}
        yield {
            "url": response.url,
            **{name: "".join(each[:1].css("*::text").getall()).strip() for name, each in found.items()},
        }
