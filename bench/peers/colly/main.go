// Follows every page link from the start pages given as arguments, on their hosts.
package main

import (
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"
)

const (
	threads  = 64
	maxQueue = 10_000_000
)

// By colly's queue, not its asynchronous mode: that one works on any number of pages at once, which took twice the time
// and all of the memory on a site with many links.
func main() {
	collector := colly.NewCollector()
	// Go keeps two idle connections a host where nothing is said, so that most requests would open one of their own.
	collector.WithTransport(&http.Transport{MaxIdleConnsPerHost: threads})
	waiting, err := queue.New(threads, &queue.InMemoryQueueStorage{MaxSize: maxQueue})
	check(err)
	collector.OnHTML("a[href]", func(link *colly.HTMLElement) {
		// To colly a page is another one with every fragment.
		path, _, _ := strings.Cut(link.Attr("href"), "#")
		address := link.Request.AbsoluteURL(path)
		visited, err := collector.HasVisited(address)
		if err == nil && !visited {
			// Fails where it is no URL, which is no news.
			_ = waiting.AddURL(address)
		}
	})
	for _, start := range os.Args[1:] {
		address, err := url.Parse(start)
		check(err)
		collector.AllowedDomains = append(collector.AllowedDomains, address.Hostname())
		check(waiting.AddURL(start))
	}
	check(waiting.Run(collector))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
