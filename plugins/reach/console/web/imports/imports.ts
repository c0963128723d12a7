import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { components } from '#client'
import { language } from '../i18n/language.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { renewToken } from '../session/token.ts'

/** An import of the account. */
export type Import = components['schemas']['Import']

/** The result of importing a conversation. */
export type LineStatus = components['schemas']['ImportLineStatus']

/** The results in the order of the filter. */
export const LINE_STATUSES = ['imported', 'unchanged', 'empty', 'failed'] as const satisfies LineStatus[]

/** The interval at which a running import is read, in milliseconds. */
const POLL_MS = 1000
const LINES = 50

/** True while an import has work. */
export const isRunning = ({ state }: Import): boolean => state === 'queued' || state === 'running'

/** Reads the imports of the account, again and again while one of them is running. */
export const useImports = () =>
  api.useQuery(
    'get',
    '/imports',
    {},
    { refetchInterval: ({ state }) => (state.data?.some(isRunning) ? POLL_MS : false) },
  )

interface LinePage {
  rows: components['schemas']['ImportLine'][]
  next: string | null | undefined
}

/** Reads the lines of a report, all or of one status, and reads them again while the import is running. */
export function useLines({ id, ...current }: Import, status: LineStatus | undefined) {
  const isActive = isRunning({ id, ...current })
  const query = useInfiniteQuery({
    // The last lines are read once more when the import has ended.
    queryKey: ['get', '/imports', id, status ?? 'all', isActive],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isActive ? POLL_MS : false,
    async queryFn({ pageParam, signal }): Promise<LinePage> {
      const query = { limit: LINES, ...(status && { status }), ...(pageParam && { cursor: pageParam }) }
      const reply = await client.GET('/imports/{id}', { params: { path: { id }, query }, signal })
      if (!reply.data) throw reply.error
      const [, link] = /<([^>]*)>; rel="next"/.exec(reply.response.headers.get('link') ?? '') ?? []
      return { rows: reply.data.lines, next: link && new URLSearchParams(link).get('cursor') }
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  return { ...query, rows: query.data?.pages.flatMap(({ rows }) => rows) }
}

/** Uploads an archive; `onProgress` hears of the part that is sent. The import then runs on the server. */
export async function uploadArchive(
  file: File,
  { agent, signal, onProgress }: { agent: string; signal: AbortSignal; onProgress(part: number): void },
): Promise<void> {
  const form = new FormData()
  form.append('agent', agent)
  form.append('file', file, file.name)
  const token = await renewToken()
  // Only this kind of request tells how much of its body is sent.
  const request = new XMLHttpRequest()
  await new Promise<void>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => (request.status === 202 ? resolve() : reject(readError(request)))
    request.onerror = () => reject(new TypeError('The upload was interrupted.'))
    request.onabort = () => resolve()
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.open('POST', '/api/imports')
    request.setRequestHeader('accept-language', language)
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
    request.send(form)
  })
  await refresh('/imports')
}

function readError({ responseText, status }: XMLHttpRequest): unknown {
  try {
    return JSON.parse(responseText)
  } catch {
    return new TypeError(`The server answered ${status}.`)
  }
}

/** Cancels a running import. */
export const cancelImport = (id: string) =>
  send(client.POST('/imports/{id}/cancel', { params: { path: { id } } })).finally(() => refresh('/imports'))

/** Deletes an import and its report. */
export const deleteImport = (id: string) =>
  send(client.DELETE('/imports/{id}', { params: { path: { id } } })).finally(() => refresh('/imports'))
