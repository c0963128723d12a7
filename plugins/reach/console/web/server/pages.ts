import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
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
  /** True if the rows of the former query are shown until the new rows have loaded. */
  keepsRows?: boolean
}

/** The loaded rows of a list that has pages, the way to the next page, and the number of all rows if the server counts them. */
export function useRows<Path extends ListPath>(
  path: Path,
  params: Params = {},
  { enabled = true, staleTime, keepsRows = false }: Options = {},
) {
  const query = useInfiniteQuery({
    ...(staleTime !== undefined && { staleTime }),
    ...(keepsRows && { placeholderData: keepPreviousData }),
    queryKey: ['get', path, { params }, 'pages'],
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(path, params, pageParam, signal),
    getNextPageParam: ({ next }) => next,
  })
  const pages = query.data?.pages
  return { ...query, rows: pages?.flatMap(({ rows }) => rows), total: pages?.[0]?.total }
}

/** All rows of a list, however many pages they are. */
export function useAllRows<Path extends ListPath>(path: Path, params: Params = {}, options: Options = {}) {
  const list = useRows(path, params, options)
  const { hasNextPage, isFetching, isError, fetchNextPage } = list
  const isIncomplete = options.enabled !== false && hasNextPage && !isFetching && !isError
  useEffect(() => {
    if (isIncomplete) void fetchNextPage()
  }, [isIncomplete, fetchNextPage])
  return list
}

/** Reads all rows of a list, however many pages they are. */
export async function readAll<Path extends ListPath>(
  path: Path,
  query: NonNullable<Params['query']>,
): Promise<Row<Path>[]> {
  const rows: Row<Path>[] = []
  let cursor: string | undefined
  do {
    const page = await readPage(path, { query: { ...query, limit: 200 } }, cursor)
    rows.push(...page.rows)
    cursor = page.next
  } while (cursor !== undefined)
  return rows
}

async function readPage<Path extends ListPath>(
  path: Path,
  params: Params,
  cursor: string | undefined,
  signal?: AbortSignal,
) {
  const query = { ...params.query, ...(cursor === undefined ? {} : { cursor }) }
  const get = client.GET as (
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
  const { data, error, response } = await get(path, {
    params: { ...params, query },
    ...(signal && { signal }),
  })
  if (error !== undefined) throw error
  const total = response.headers.get('x-total-count')
  return {
    rows: data as Row<Path>[],
    next: readNextCursor(response.headers.get('link')),
    total: total === null ? undefined : Number(total),
  }
}

/** The cursor of the next page in a `Link` header, whose address is relative. */
function readNextCursor(link: string | null): string | undefined {
  const address = link && /<([^>]*)>; rel="next"/.exec(link)?.[1]
  return address ? (new URL(address, location.origin).searchParams.get('cursor') ?? undefined) : undefined
}
