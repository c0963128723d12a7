import { Anchor, Button, Menu } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { renewToken } from '../session/token.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Download } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { Loading } from '../ui/pending.tsx'
import { useAction } from '../ui/use-action.ts'
import { EventSheet } from './event-sheet.tsx'
import { Metrics } from './metrics.tsx'
import { type Event, groupEvents } from './steps.ts'
import { Timeline } from './timeline.tsx'
import { type ThreadPath, useEvents } from './use-events.ts'

/** The steps of a conversation, while they happen. */
export default function TrajectoryPage() {
  const { agent, thread } = useParams({ from: '/chat/$agent/$thread/trajectory' })
  const path = { id: agent, thread_id: thread }
  const chatPath: string = `/chat/${agent}/${thread}`
  const { data } = api.useQuery('get', '/agents/{id}/threads/{thread_id}', { params: { path } })
  const { events, error, hasEarlier, loadEarlier, retry } = useEvents(path)
  const [open, setOpen] = useState<Event>()
  const earlier = useAction()
  const exporting = useAction()
  const turns = groupEvents(events ?? [])
  const lastSeq = events?.at(-1)?.seq ?? 0
  return (
    <Page
      title={t('trajectory.title', { title: data?.title ?? t('trajectory.untitled') })}
      about={
        <Anchor inherit renderRoot={(props) => <Link {...props} to={chatPath} />}>
          {t('trajectory.to_chat')}
        </Anchor>
      }
      actions={
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" loading={exporting.isBusy} leftSection={<Download size={14} />}>
              {t('trajectory.export')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => exporting.run(() => exportEvents(path, 'jsonl'))}>
              {t('trajectory.as_lines')}
            </Menu.Item>
            <Menu.Item onClick={() => exporting.run(() => exportEvents(path, 'json'))}>
              {t('trajectory.as_document')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      }
    >
      {error !== undefined && <Failure error={error} onRetry={retry} />}
      {earlier.error !== undefined && <Failure error={earlier.error} />}
      {exporting.error !== undefined && <Failure error={exporting.error} />}
      {events && events.length > 0 && <Metrics path={path} lastSeq={lastSeq} />}
      {hasEarlier && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          loading={earlier.isBusy}
          onClick={() => earlier.run(loadEarlier)}
        >
          {t('trajectory.earlier')}
        </Button>
      )}
      {!events && error === undefined && <Loading height={320} />}
      {events?.length === 0 && <Empty title={t('trajectory.none')}>{t('trajectory.none_about')}</Empty>}
      <Timeline turns={turns} onOpen={setOpen} />
      {open && <EventSheet path={path} event={open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

/** Downloads all events of a thread as a file. */
async function exportEvents({ id, thread_id }: ThreadPath, format: 'jsonl' | 'json'): Promise<void> {
  const path = `/api/agents/${encodeURIComponent(id)}/threads/${encodeURIComponent(thread_id)}/trajectory/export`
  const headers = { authorization: `Bearer ${await renewToken()}` }
  const response = await fetch(`${path}?format=${format}`, { headers })
  if (!response.ok) throw await response.json()
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = `${thread_id}.${format}`
  link.click()
  URL.revokeObjectURL(address)
}
