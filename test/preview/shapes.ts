import { Random } from '../web/random.js';

/** A site as its links alone: page 0 is where it begins, and every page can be reached from there. */
export interface LinkSite {
  readonly links: readonly (readonly number[])[];
}

class Builder {
  readonly random: Random;
  readonly #links: Set<number>[] = [];

  constructor(seed: number) {
    this.random = new Random(seed * 7919 + 13);
  }

  get size(): number {
    return this.#links.length;
  }

  page(): number {
    return this.#links.push(new Set()) - 1;
  }

  pages(count: number): number[] {
    return Array.from({ length: count }, () => this.page());
  }

  link(from: number, ...to: readonly number[]): void {
    for (const each of to) {
      if (each !== from) {
        this.#links[from]!.add(each);
      }
    }
  }

  linksTo(from: number, to: number): boolean {
    return this.#links[from]!.has(to);
  }

  /** Without what cannot be reached. */
  site(): LinkSite {
    const order = [0];
    const seen = new Set(order);
    for (const page of order) {
      for (const target of this.#links[page]!) {
        if (!seen.has(target)) {
          seen.add(target);
          order.push(target);
        }
      }
    }
    const place = new Map(order.map((page, i) => [page, i]));
    return { links: order.map((page) => [...this.#links[page]!].map((target) => place.get(target)!)) };
  }
}

/** Sites as people build them, of some hundred to some thousand pages. */
export const SHAPES: Readonly<Record<string, (seed: number) => LinkSite>> = {
  /** The home page leads to all of them. */
  flat(seed) {
    const site = new Builder(seed);
    const home = site.page();
    const pages = site.pages(site.random.between(400, 3000));
    site.link(home, ...pages);
    for (const page of pages) {
      site.link(page, home, ...Array.from({ length: 5 }, () => site.random.pick(pages)));
    }
    return site.site();
  },

  /** One to six below each page, several levels deep. */
  tree(seed) {
    const site = new Builder(seed);
    const home = site.page();
    const wanted = site.random.between(500, 3000);
    let level = [home];
    while (site.size < wanted) {
      const next: number[] = [];
      for (const parent of level) {
        if (site.size >= wanted) {
          break;
        }
        for (const child of site.pages(site.random.between(1, 6))) {
          site.link(parent, child);
          site.link(child, parent, home);
          next.push(child);
        }
      }
      level = next;
    }
    return site.site();
  },

  /** Sections, groups and pages that lead to their neighbours. */
  sections(seed) {
    const site = new Builder(seed);
    const home = site.page();
    for (const section of site.pages(site.random.between(8, 20))) {
      site.link(home, section);
      for (const group of site.pages(site.random.between(3, 15))) {
        site.link(section, group);
        site.link(group, section, home);
        const pages = site.pages(site.random.between(0, 25));
        pages.forEach((page, i) => {
          site.link(group, page);
          site.link(page, group, section, home, ...pages.slice(Math.max(0, i - 1), i + 2));
        });
      }
    }
    return site.site();
  },

  /** Lists of ten that follow each other, articles that lead to their neighbours, and tags with lists of their own. */
  blog(seed) {
    const site = new Builder(seed);
    const home = site.page();
    const tags = site.pages(site.random.between(10, 40));
    const articles: number[] = [];
    let list = home;
    for (let i = site.random.between(300, 1500); i > 0; i--) {
      if (articles.length > 0 && articles.length % 10 === 0) {
        const next = site.page();
        site.link(list, next);
        site.link(next, list, home);
        list = next;
      }
      const article = site.page();
      site.link(list, article);
      site.link(article, home, ...tags.slice(0, 8), ...Array.from({ length: 3 }, () => site.random.pick(tags)));
      if (articles.length > 0) {
        site.link(article, articles.at(-1)!);
        site.link(articles.at(-1)!, article);
      }
      articles.push(article);
    }
    for (const tag of tags) {
      let page = tag;
      articles
        .filter((article) => site.linksTo(article, tag))
        .forEach((article, i) => {
          if (i > 0 && i % 10 === 0) {
            const next = site.page();
            site.link(page, next);
            site.link(next, tag);
            page = next;
          }
          site.link(page, article);
        });
    }
    site.link(home, ...tags.slice(0, 8));
    return site.site();
  },

  /** Chapters, their pages, and an index that names all of them. */
  docs(seed) {
    const site = new Builder(seed);
    const [home, index] = site.pages(2) as [number, number];
    const all: number[] = [];
    site.link(home, index);
    for (const chapter of site.pages(site.random.between(20, 60))) {
      site.link(home, chapter);
      all.push(chapter);
      for (const page of site.pages(site.random.between(2, 30))) {
        site.link(chapter, page);
        site.link(page, chapter, all.at(-1)!);
        all.push(page);
      }
    }
    for (const page of all) {
      site.link(page, home, index);
      for (let i = site.random.between(0, 4); i > 0; i--) {
        site.link(page, site.random.pick(all));
      }
    }
    site.link(index, ...all);
    return site.site();
  },

  /** Five to twenty-five links to anywhere on each page. */
  dense(seed) {
    const site = new Builder(seed);
    const pages = site.pages(site.random.between(500, 3000));
    for (const page of pages) {
      for (let i = site.random.between(5, 25); i > 0; i--) {
        site.link(page, site.random.pick(pages));
      }
      if (page > 0) {
        site.link(site.random.between(0, page - 1), page);
      }
    }
    return site.site();
  },

  /** Pages that lead only to the next and back. */
  chains(seed) {
    const site = new Builder(seed);
    const home = site.page();
    for (let chain = site.random.between(8, 25); chain > 0; chain--) {
      let last = home;
      for (const page of site.pages(site.random.between(20, 120))) {
        site.link(last, page);
        site.link(page, home, last);
        last = page;
      }
    }
    return site.site();
  },

  /** Categories with numbered lists of twenty products, and four other products beside each. */
  shop(seed) {
    const site = new Builder(seed);
    const home = site.page();
    const categories = site.pages(site.random.between(10, 30));
    const products: number[] = [];
    site.link(home, ...categories);
    for (const category of categories) {
      site.link(category, home);
      const lists = [category, ...site.pages(site.random.between(0, 11))];
      for (const list of lists) {
        site.link(list, ...lists, ...categories);
        for (const product of site.pages(20)) {
          site.link(list, product);
          site.link(product, category, ...categories);
          products.push(product);
        }
      }
    }
    for (const product of products) {
      site.link(product, ...Array.from({ length: 4 }, () => site.random.pick(products)));
    }
    return site.site();
  },

  /** New pages link to those that are linked often already. */
  wiki(seed) {
    const site = new Builder(seed);
    const ends = [site.page()];
    for (let i = site.random.between(800, 4000); i > 1; i--) {
      const page = site.page();
      site.link(site.random.pick(ends), page);
      site.link(page, 0);
      for (let j = site.random.between(2, 15); j > 0; j--) {
        const target = site.random.pick(ends);
        site.link(page, target);
        ends.push(target);
      }
      ends.push(page);
    }
    return site.site();
  },

  /** Packages, their classes, an index of all classes, and behind each class a page that nothing else leads to. */
  reference(seed) {
    const site = new Builder(seed);
    const [home, index] = site.pages(2) as [number, number];
    const classes: number[] = [];
    site.link(home, index);
    for (const group of site.pages(site.random.between(10, 60))) {
      const [tree, use] = site.pages(2) as [number, number];
      site.link(home, group);
      site.link(group, home, index, tree, use);
      for (let i = site.random.between(5, 60); i > 0; i--) {
        const [page, behind] = site.pages(2) as [number, number];
        for (const list of [group, tree, index]) {
          site.link(list, page);
        }
        site.link(page, group, home, behind);
        site.link(behind, page, group);
        classes.push(page);
      }
    }
    for (const page of classes) {
      for (let i = site.random.between(2, 12); i > 0; i--) {
        site.link(page, site.random.pick(classes));
      }
    }
    return site.site();
  },
};
