"""Follows every page link from the start pages, on their hosts: scrapy runspider spider.py -a starts='URL URL …'"""

from urllib.parse import urlsplit

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class PagesSpider(CrawlSpider):
    name = "pages"
    rules = [Rule(LinkExtractor())]
    custom_settings = {
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, starts, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = starts.split()
        self.allowed_domains = [urlsplit(start).hostname for start in self.start_urls]
