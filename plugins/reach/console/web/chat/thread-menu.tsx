import { ActionIcon, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, Suspense, useState } from 'react'
import { saveBlob } from '../agents/files.ts'
import { MoveMenu } from '../conversations/move-menu.tsx'
import { lazySlots } from '../frame/lazy-slots.ts'
import { useSlots } from '../frame/slots.ts'
import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import {
  Archive,
  ArchiveRestore,
  Download,
  Ellipsis,
  ListTree,
  Pencil,
  Pin,
  PinOff,
  Printer,
  Trash2,
} from '../ui/icons.ts'
import { useAction } from '../ui/use-action.ts'
import { archiveThread, changeThread, deleteThread, moveThread } from './change-thread.ts'
import { printThread } from './messages/printing.ts'
import { readText } from './store/thread-store.ts'
import type { Message } from './store/thread-view.ts'
import { openThread } from './store/threads.ts'
import { ThreadCost } from './thread-cost.tsx'
import type { ThreadRow } from './thread-list.ts'

const SlotMenu = lazySlots(() => import('../slots/slot-menu.tsx'))

interface Props {
  row: ThreadRow
  title: string
  /** The name of the button. */
  label: string
  className: string | undefined
  size: number
}

/** The actions on a conversation: rename, pin, move, archive, export, print, delete; open from the start. */
export default function ThreadMenu({ row, title, label, className, size }: Props) {
  const [isOpen, setOpen] = useState(true)
  const { features } = useFacts()
  const hasSlots = useSlots('thread.menu').length > 0
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const { error, run, forget } = useAction()
  const { thread: shown } = useParams({ strict: false })
  const navigate = useNavigate()
  const { agent_id, thread_id, pinned, archived } = row

  const remove = async () => {
    await deleteThread(row)
    if (shown === thread_id) await navigate({ to: '/chat/$agent', params: { agent: agent_id } })
  }
  const PinIcon = pinned ? PinOff : Pin
  const ArchiveIcon = archived ? ArchiveRestore : Archive
  return (
    <>
      <Menu position="bottom-end" withinPortal opened={isOpen} onChange={setOpen}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={size} className={className} aria-label={label}>
            <Ellipsis size={size > 24 ? 18 : 16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={14} />} onClick={() => setDialog('rename')}>
            {t('chat.rename')}
          </Menu.Item>
          {!archived && (
            <Menu.Item
              leftSection={<PinIcon size={14} />}
              onClick={() => void run(() => changeThread(row, { pinned: !pinned }))}
            >
              {t(pinned ? 'chat.unpin' : 'chat.pin')}
            </Menu.Item>
          )}
          <MoveMenu thread={row} onMove={(project) => void run(() => moveThread(row, project))} />
          <Menu.Item
            leftSection={<ArchiveIcon size={14} />}
            onClick={() => void run(() => archiveThread(row, !archived))}
          >
            {t(archived ? 'conversations.unarchive' : 'conversations.archive')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={<Download size={14} />}
            onClick={() => void run(() => exportMarkdown(agent_id, thread_id, title))}
          >
            {t('chat.export')}
          </Menu.Item>
          <Menu.Item
            leftSection={<Printer size={14} />}
            onClick={() => void run(() => printThread(openThread(agent_id, row.thread_id)))}
          >
            {t('answers.print')}
          </Menu.Item>
          <Menu.Item
            leftSection={<ListTree size={14} />}
            component={Link}
            to={`/chat/${agent_id}/${thread_id}/trajectory`}
          >
            {t('chat.trajectory')}
          </Menu.Item>
          {hasSlots && (
            <Suspense>
              <SlotMenu agent_id={agent_id} thread_id={thread_id} onClose={() => setOpen(false)} />
            </Suspense>
          )}
          <Menu.Divider />
          <Menu.Item c="var(--danger)" leftSection={<Trash2 size={14} />} onClick={() => setDialog('delete')}>
            {t('common.delete')}
          </Menu.Item>
          {features.usage && <ThreadCost thread_id={thread_id} />}
        </Menu.Dropdown>
      </Menu>
      {error !== undefined && (
        <Modal opened onClose={forget} withCloseButton={false} centered>
          <Failure error={error} />
        </Modal>
      )}
      {dialog === 'rename' && (
        <Rename
          title={title}
          onSave={(title) => changeThread(row, { title })}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'delete' && (
        <Confirm
          title={t('chat.delete_title')}
          action={t('common.delete')}
          onConfirm={remove}
          onClose={() => setDialog(undefined)}
        >
          {t('chat.delete_about', { title })}
        </Confirm>
      )}
    </>
  )
}

interface RenameProps {
  title: string
  onSave(title: string): Promise<unknown>
  onClose(): void
}

function Rename({ title, onSave, onClose }: RenameProps) {
  const [value, setValue] = useState(title)
  const { error, run } = useAction()
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (value.trim() !== '')
      void run(async () => {
        await onSave(value.trim())
        onClose()
      })
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('chat.rename')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <form onSubmit={save}>
        <Stack>
          <TextInput
            label={t('chat.name')}
            value={value}
            maxLength={200}
            onChange={(event) => setValue(event.currentTarget.value)}
            data-autofocus
          />
          <Text size="xs" c="var(--meta)">
            {t('chat.rename_about')}
          </Text>
          {error !== undefined && <Failure error={error} />}
        </Stack>
      </form>
    </Modal>
  )
}

const PAGE = 200

/** Saves a whole conversation as a Markdown file. */
async function exportMarkdown(id: string, thread_id: string, title: string): Promise<void> {
  const params = { path: { id, thread_id } }
  const messages: Message[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: PAGE, ...(cursor ? { cursor } : {}) }
    const page = await send(
      client.GET('/agents/{id}/threads/{thread_id}/history', { params: { ...params, query } }),
    )
    messages.unshift(...page.messages)
    cursor = page.next_cursor
  } while (cursor)
  const parts = messages.flatMap(({ role, content, timestamp }) => {
    const text = readText(content)
    if (role === 'tool' || text === '') return []
    const name = t(role === 'user' ? 'chat.you' : 'chat.agent')
    return [`## ${name} · ${formatDate(timestamp / 1000)}\n\n${text}`]
  })
  const text = [`# ${title}`, ...parts].join('\n\n')
  saveBlob(new Blob([text], { type: 'text/markdown' }), `${title.replace(/[/\\:*?"<>|]+/g, ' ').trim()}.md`)
}
