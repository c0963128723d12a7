import { Button, Group, NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { useProjects } from '../projects/projects.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Search } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { Loading } from '../ui/pending.tsx'
import { HitList } from './hit-list.tsx'
import { useHits } from './search.ts'
import classes from './search-page.module.css'

/** The time without a key after which a search begins. */
const PAUSE_MS = 250

/** Searches what was said in all conversations. Words and filters are in the address, so that one can come back to them. */
export default function SearchPage() {
  const address = useSearch({ from: '/search' })
  const navigate = useNavigate({ from: '/search' })
  const [text, setText] = useState(address.q ?? '')
  const [words] = useDebouncedValue(text, PAUSE_MS)
  const [view, setView] = useState<'conversations' | 'messages'>('conversations')
  const { rows: agents = [] } = useAgents()
  const { rows: projects = [] } = useProjects()
  const change = (changes: Partial<typeof address>) =>
    void navigate({ search: (all) => ({ ...all, ...changes }), replace: true })
  useEffect(() => change({ q: words || undefined }), [words])

  const { agent, project, from, to } = address
  const isBackwards = from !== undefined && to !== undefined && from > to
  const query = { q: words, agent_id: agent, project_id: project, from, to }
  const hits = useHits(query, { enabled: !isBackwards })
  return (
    <Page title={t('search.title')}>
      <search>
        <TextInput
          type="search"
          size="md"
          aria-label={t('search.field')}
          placeholder={t('search.field')}
          leftSection={<Search size={16} aria-hidden />}
          value={text}
          maxLength={256}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && setText('')}
          autoFocus
        />
        <div className={classes.filters}>
          {agents.length > 1 && (
            <NativeSelect
              label={t('search.agent')}
              data={[
                { value: '', label: t('search.any_agent') },
                ...agents.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={agent ?? ''}
              onChange={(event) => change({ agent: event.currentTarget.value || undefined })}
            />
          )}
          {projects.length > 0 && (
            <NativeSelect
              label={t('search.project')}
              data={[
                { value: '', label: t('search.any_project') },
                ...projects.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={project ?? ''}
              onChange={(event) => change({ project: event.currentTarget.value || undefined })}
            />
          )}
          <TextInput
            type="date"
            label={t('search.from')}
            value={from ?? ''}
            onChange={(event) => change({ from: event.currentTarget.value || undefined })}
          />
          <TextInput
            type="date"
            label={t('search.to')}
            value={to ?? ''}
            error={isBackwards && t('search.backwards')}
            onChange={(event) => change({ to: event.currentTarget.value || undefined })}
          />
          {(agent || project || from || to) && (
            <Button
              variant="subtle"
              onClick={() => change({ agent: undefined, project: undefined, from: undefined, to: undefined })}
            >
              {t('search.clear')}
            </Button>
          )}
        </div>
      </search>
      {words.trim() === '' ? (
        <Empty title={t('search.begin')}>{t('search.begin_about')}</Empty>
      ) : isBackwards ? null : hits.error && !hits.rows ? (
        <Failure error={hits.error} onRetry={() => void hits.refetch()} />
      ) : !hits.rows ? (
        <Loading height={160} />
      ) : hits.rows.length === 0 ? (
        <Empty title={t('search.nothing', { words })}>{t('search.nothing_about')}</Empty>
      ) : (
        <>
          <Group justify="space-between">
            <Text size="sm" c="var(--meta)" role="status">
              {t(hits.hasNextPage ? 'search.count_more' : 'search.count', { count: hits.rows.length })}
            </Text>
            <SegmentedControl
              size="xs"
              aria-label={t('search.view')}
              data={[
                { value: 'conversations', label: t('search.by_conversation') },
                { value: 'messages', label: t('search.by_message') },
              ]}
              value={view}
              onChange={(view) => setView(view as 'conversations' | 'messages')}
            />
          </Group>
          <HitList hits={hits.rows} isGrouped={view === 'conversations'} />
          {hits.error && <Failure error={hits.error} onRetry={() => void hits.fetchNextPage()} />}
          {hits.hasNextPage && (
            <Button
              variant="default"
              w="fit-content"
              loading={hits.isFetchingNextPage}
              onClick={() => void hits.fetchNextPage()}
            >
              {t('common.more')}
            </Button>
          )}
        </>
      )}
    </Page>
  )
}
