import { Button, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { t } from '../../i18n/words.ts'
import { client } from '../../server/client.ts'
import { send } from '../../server/send.ts'
import { Loading } from '../../ui/pending.tsx'
import classes from './document-pages.module.css'
import { DocumentText } from './document-text.tsx'
import { FileFailure } from './file-failure.tsx'

interface Props {
  agent_id: string
  path: string
  /** The page to begin with. */
  page?: number | undefined
}

/** The text of a document in the workspace, page by page. */
export function DocumentPages({ agent_id, path, page: first = 1 }: Props) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['document', agent_id, path],
    queryFn: ({ pageParam, signal }) =>
      send(
        client.GET('/agents/{id}/files/document', {
          params: { path: { id: agent_id }, query: { path, pages: `${pageParam}-` } },
          signal,
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: ({ next_page }) => next_page,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const pages = data?.pages.flatMap((part) => part.pages) ?? []
  const facts = data?.pages[0]?.document
  const isThere = pages.some(({ page }) => page === first)
  const start = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isThere && first > 1) start.current?.scrollIntoView({ block: 'start' })
  }, [isThere, first])
  useEffect(() => {
    if (!isThere && hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [isThere, hasNextPage, isFetching, error, fetchNextPage])

  if (!facts)
    return error ? <FileFailure path={path} error={error} onRetry={refetch} /> : <Loading height={320} />
  if (facts.state === 'no_text')
    return (
      <Text size="sm" c="var(--meta)">
        {t('chat.document_no_text')}
      </Text>
    )
  return (
    <Stack gap="md">
      {pages.map(({ page, text }) => (
        <section key={page} ref={page === first ? start : undefined} className={classes.page}>
          {facts.pages !== undefined && (
            <Text component="h3" size="xs" c="var(--meta)" fw={500}>
              {t('chat.page_of', { page, pages: facts.pages })}
            </Text>
          )}
          {text === '' ? (
            <Text size="sm" c="var(--meta)">
              {t('chat.page_no_text')}
            </Text>
          ) : (
            <DocumentText text={text} />
          )}
        </section>
      ))}
      {error && <FileFailure path={path} error={error} onRetry={fetchNextPage} />}
      {hasNextPage && !error && (
        <Button variant="default" size="compact-sm" loading={isFetching} onClick={() => void fetchNextPage()}>
          {t('common.more')}
        </Button>
      )}
    </Stack>
  )
}
