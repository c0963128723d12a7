import { useInfiniteQuery } from '@tanstack/react-query'
import type { paths } from '#client'
import { client } from './client.ts'

/** The paths of lists. */
type ListPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { 'application/json': unknown[] } } } }
  }
    ? Path
    : never
}[keyof paths]

type Row<Path extends ListPath> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': (infer Item)[] } } } }
}
  ? Item
  : never

interface Params {
  path?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
}

interface Options {
  enabled?: boolean
  staleTime?: number
}

/** The loaded rows of a list that has pages, and the way to the next page. */
export function useRows<Path extends ListPath>(
  path: Path,
  params: Params = {},
  { enabled = true, staleTime }: Options = {},
) {
  const query = useInfiniteQuery({
    ...(staleTime !== undefined && { staleTime }),
    queryKey: ['get', path, { params }, 'pages'],
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...params.query, ...(pageParam === undefined ? {} : { cursor: pageParam }) }
      const get = client.GET as (
        path: string,
        init: object,
      ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
      const { data, error, response } = await get(path, { params: { ...params, query }, signal })
      if (error !== undefined) throw error
      return { rows: data as Row<Path>[], next: readNextCursor(response.headers.get('link')) }
    },
    getNextPageParam: ({ next }) => next,
  })
  return { ...query, rows: query.data?.pages.flatMap(({ rows }) => rows) }
}

/** The cursor of the next page in a `Link` header, whose address is relative. */
function readNextCursor(link: string | null): string | undefined {
  const address = link && /<([^>]*)>; rel="next"/.exec(link)?.[1]
  return address ? (new URL(address, location.origin).searchParams.get('cursor') ?? undefined) : undefined
}
