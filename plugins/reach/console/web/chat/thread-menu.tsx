import { ActionIcon, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { saveBlob } from '../agents/files.ts'
import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { Download, Ellipsis, ListTree, Pencil, Pin, PinOff, Trash2 } from '../ui/icons.ts'
import { useAction } from '../ui/use-action.ts'
import { readText } from './store/thread-store.ts'
import type { Message } from './store/thread-view.ts'
import { closeThread, refreshThreads } from './store/threads.ts'
import type { ThreadRow } from './thread-list.ts'

interface Props {
  agent_id: string
  row: ThreadRow
  title: string
}

/** The actions on a conversation: rename, pin, export, delete. */
export function ThreadMenu({ agent_id, row, title }: Props) {
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const { error, run } = useAction()
  const navigate = useNavigate()
  const params = { path: { id: agent_id, thread_id: row.thread_id } }

  const change = async (body: { title?: string; pinned?: boolean }) => {
    await send(client.PATCH('/agents/{id}/threads/{thread_id}', { params, body }))
    refreshThreads(agent_id)
  }
  const remove = async () => {
    await send(client.DELETE('/agents/{id}/threads/{thread_id}', { params }))
    closeThread(row.thread_id)
    refreshThreads(agent_id)
    await navigate({ to: '/chat/$agent', params: { agent: agent_id } })
  }
  const PinIcon = row.pinned ? PinOff : Pin
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('chat.thread_menu')}
            title={t('chat.thread_menu')}
          >
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={14} />} onClick={() => setDialog('rename')}>
            {t('chat.rename')}
          </Menu.Item>
          <Menu.Item
            leftSection={<PinIcon size={14} />}
            onClick={() => void run(() => change({ pinned: !row.pinned }))}
          >
            {t(row.pinned ? 'chat.unpin' : 'chat.pin')}
          </Menu.Item>
          <Menu.Item
            leftSection={<Download size={14} />}
            onClick={() => void run(() => exportMarkdown(agent_id, row.thread_id, title))}
          >
            {t('chat.export')}
          </Menu.Item>
          <Menu.Item
            leftSection={<ListTree size={14} />}
            component={Link}
            to={`/chat/${agent_id}/${row.thread_id}/trajectory`}
          >
            {t('chat.trajectory')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--danger)" leftSection={<Trash2 size={14} />} onClick={() => setDialog('delete')}>
            {t('common.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {error !== undefined && (
        <Modal opened onClose={() => void run(async () => {})} withCloseButton={false} centered>
          <Failure error={error} />
        </Modal>
      )}
      {dialog === 'rename' && (
        <Rename title={title} onSave={(title) => change({ title })} onClose={() => setDialog(undefined)} />
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
