import { Button, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { useAction } from '../ui/use-action.ts'
import { describeImport } from './import-words.ts'
import classes from './imports.module.css'
import {
  cancelImport,
  deleteImport,
  type Import,
  isRunning,
  LINE_STATUSES,
  type LineStatus,
  useLines,
} from './imports.ts'

const TONES = { imported: 'on', unchanged: 'off', empty: 'off', failed: 'failed' } as const

/** An import: its progress, and the result of each conversation. */
export function ImportReport({ current }: { current: Import }) {
  const { id, filename, counts, progress, reason, state } = current
  const { isBusy, error, run } = useAction()
  const [status, setStatus] = useState<LineStatus>()
  const total = LINE_STATUSES.reduce((sum, name) => sum + counts[name], 0)
  const lines = useLines(current, status)
  const isActive = isRunning(current)
  // The server does not announce each of thousands of conversations.
  useEffect(() => {
    if (!isActive && counts.imported > 0) void refresh('/threads')
  }, [isActive, counts.imported])
  return (
    <Section
      title={filename}
      about={describeImport(current)}
      actions={
        isActive ? (
          <Button
            variant="default"
            size="xs"
            loading={isBusy}
            onClick={() => void run(() => cancelImport(id))}
          >
            {t('common.cancel')}
          </Button>
        ) : (
          <Button
            variant="default"
            size="xs"
            loading={isBusy}
            onClick={() => void run(() => deleteImport(id))}
          >
            {t('imports.delete_report')}
          </Button>
        )
      }
    >
      {error !== undefined && <Failure error={error} />}
      {isActive && <Progress value={progress * 100} aria-label={t('imports.progress')} animated />}
      {state === 'failed' && reason && (
        <Text size="sm" c="var(--danger)" role="alert">
          {reason.message}
        </Text>
      )}
      <Group gap="md" role="status" aria-label={t('imports.counts')}>
        {LINE_STATUSES.filter((name) => counts[name] > 0).map((name) => (
          <State key={name} tone={TONES[name]}>
            {t(`imports.count_${name}`, { count: counts[name] })}
          </State>
        ))}
      </Group>
      {total > 0 && (
        <List
          {...lines}
          label={t('imports.report')}
          keyOf={({ index }) => String(index)}
          controls={
            <Select
              aria-label={t('imports.filter')}
              w={220}
              allowDeselect={false}
              data={[
                { value: 'all', label: t('imports.all', { count: total }) },
                ...LINE_STATUSES.map((name) => ({
                  value: name,
                  label: t(`imports.count_${name}`, { count: counts[name] }),
                })),
              ]}
              value={status ?? 'all'}
              onChange={(value) => setStatus(LINE_STATUSES.find((name) => name === value))}
            />
          }
          empty={
            <Stack gap="sm">
              <Button variant="default" w="fit-content" onClick={() => setStatus(undefined)}>
                {t('imports.show_all')}
              </Button>
              <Empty title={t('imports.none')}>{t('imports.none_about')}</Empty>
            </Stack>
          }
        >
          {({ title, status, reason, messages, agent_id, thread_id }) => (
            <ListRow
              title={title || t('chat.new_thread')}
              {...(agent_id !== null &&
                thread_id !== null && {
                  link: { to: '/chat/$agent/$thread', params: { agent: agent_id, thread: thread_id } },
                })}
              meta={
                reason ? (
                  <span className={classes.reason}>{reason.message}</span>
                ) : (
                  messages > 0 && t('imports.messages', { count: messages })
                )
              }
            >
              <State tone={TONES[status]}>{t(`imports.status_${status}`)}</State>
            </ListRow>
          )}
        </List>
      )}
    </Section>
  )
}
