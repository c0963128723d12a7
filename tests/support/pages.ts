import type { TestReply, TestServer } from './server.ts'

/** The path and query of the page behind an answer, by its header Link; undefined behind the last one. */
export function nextOf({ headers }: TestReply, path: string): string | undefined {
  const link = headers.get('link')
  if (link === null) return undefined
  const [, query] = /^<(\?[^>]+)>; rel="next"$/.exec(link) ?? []
  if (query === undefined) throw new Error(`this is no link to a next page: ${link}`)
  return path.split('?')[0] + query
}

/** Reads a list to its end, a page after the other. */
export async function readPages(
  server: Pick<TestServer, 'request'>,
  path: string,
  options: { token?: string } = {},
): Promise<TestReply[]> {
  const pages: TestReply[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: TestReply = await server.request('GET', next, options)
    if (page.status !== 200) throw new Error(`${next} answered ${page.status} ${JSON.stringify(page.body)}`)
    pages.push(page)
    next = nextOf(page, path)
  }
  return pages
}
