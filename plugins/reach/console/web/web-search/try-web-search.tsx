import { Alert, Button, Group, List, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { formatDay, formatDuration } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { Section } from '../ui/section.tsx'
import { readSearchFailures, type SearchFailure } from './search-failures.ts'
import classes from './try-web-search.module.css'
import type { SearchEngine } from './web-search.ts'

interface Props {
  engines: readonly SearchEngine[]
  /** The kind of the engine that is asked; empty to ask as agents do. */
  kind: string
  onKind(kind: string): void
}

/** Searches with the stored settings, and shows what agents would get or why they get nothing. */
export function TryWebSearch({ engines, kind, onKind }: Props) {
  const [text, setText] = useState('')
  const search = useMutation({
    mutationFn: (body: { query: string; kind?: string }) =>
      send(client.POST('/admin/web-search/test', { body })),
  })
  const failures = readSearchFailures(search.error)
  const nameOf = (kind: string) => engines.find((engine) => engine.kind === kind)?.label ?? kind
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search.mutate({ query: text.trim(), ...(kind && { kind }) })
  }
  return (
    <Section title={t('web-search.try')} about={t('web-search.try_about')}>
      <form onSubmit={submit}>
        <Group gap="sm">
          <TextInput
            flex="1 1 220px"
            aria-label={t('web-search.query')}
            placeholder={t('web-search.query')}
            maxLength={400}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {engines.length > 1 && (
            <NativeSelect
              aria-label={t('web-search.asked')}
              value={kind}
              onChange={(event) => onKind(event.currentTarget.value)}
              data={[
                { value: '', label: t('web-search.all') },
                ...engines.map(({ kind, label }) => ({ value: kind, label })),
              ]}
            />
          )}
          <Button type="submit" variant="default" disabled={text.trim() === ''} loading={search.isPending}>
            {t('common.search')}
          </Button>
        </Group>
      </form>
      <Stack gap="sm" aria-live="polite">
        {failures.length > 0 && <Failures failures={failures} />}
        {search.error !== null && failures.length === 0 && <Failure error={search.error} />}
        {search.data && (
          <>
            <Text size="sm" c="var(--meta)">
              {t(search.data.results.length > 0 ? 'web-search.answered' : 'web-search.answered_nothing', {
                name: nameOf(search.data.kind),
                time: formatDuration(search.data.ms / 1000),
              })}
            </Text>
            {search.data.results.length > 0 && (
              <ol className={classes.results} aria-label={t('web-search.results')}>
                {search.data.results.map(({ title, url, snippet, published_at }) => (
                  <li key={url}>
                    <a href={url} target="_blank" rel="noreferrer noopener">
                      {title}
                    </a>
                    <div className={classes.origin}>
                      {[hostOf(url), published_at && formatDay(published_at)].filter(Boolean).join(' · ')}
                    </div>
                    {snippet && <p>{snippet}</p>}
                  </li>
                ))}
              </ol>
            )}
          </>
        )}
      </Stack>
    </Section>
  )
}

const hostOf = (url: string) => new URL(url).hostname.replace(/^www\./, '')

/** Why engines did not answer, each with what to do about it. */
function Failures({ failures }: { failures: readonly SearchFailure[] }) {
  return (
    <Alert color="red" variant="light" title={t('web-search.failed')} role="alert">
      <List listStyleType="none" spacing="sm" size="sm">
        {failures.map(({ kind, label, guidance, status, detail }) => (
          <List.Item key={kind}>
            <b>{label}</b>: {guidance}
            {(status ?? detail) !== undefined && (
              <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
                {[status !== undefined && t('web-search.status', { status: String(status) }), detail]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
