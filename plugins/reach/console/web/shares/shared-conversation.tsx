import { Button, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { type FileSource, FileSourceContext } from '../chat/files/file-source.ts'
import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import { listSharedFiles, type SharedConversation, saveSharedFile } from './read-shared.ts'
import classes from './shared-conversation.module.css'
import { SharedTurn, toSharedTurns } from './shared-turn.tsx'

/** The turns that are rendered at first, and with each further step. */
const STEP = 30

interface Props {
  conversation: SharedConversation
  /** The button beside the title. */
  action: ReactNode
}

/** A copy of a conversation: its title, agent and date, and its messages as in the chat. */
export function SharedConversationView({ conversation, action }: Props) {
  const { agent_name, created_at } = conversation
  const title = conversation.title ?? t('chat.new_thread')
  const turns = useMemo(() => toSharedTurns(conversation), [conversation])
  const [count, setCount] = useState(STEP)
  const { error, run } = useAction()
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  const source = useMemo((): FileSource => {
    const files = new Map(listSharedFiles(conversation).map((file) => [file.path, file]))
    return {
      has: (path) => typeof files.get(path)?.url === 'string',
      open(path) {
        const { url, filename } = files.get(path)!
        void run(() => saveSharedFile(url!, filename))
      },
    }
  }, [conversation])
  return (
    <div className={classes.column}>
      <header className={classes.header}>
        <Stack gap={2} miw={0} flex={1}>
          <Title order={1} className={classes.title}>
            {title}
          </Title>
          <Text size="sm" c="var(--meta)">
            {t('shares.from', { agent: agent_name, date: formatDate(created_at) })}
          </Text>
        </Stack>
        {action}
      </header>
      {error !== undefined && <Failure error={error} />}
      <FileSourceContext value={source}>
        <section aria-label={t('chat.messages')}>
          {turns.slice(0, count).map((data) => (
            <SharedTurn key={data.id} data={data} />
          ))}
        </section>
      </FileSourceContext>
      {turns.length > count && <More onMore={() => setCount(count + STEP)} />}
    </div>
  )
}

/** Shows more turns when it comes into view, or by a click. */
function More({ onMore }: { onMore(): void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onMore()
      },
      { rootMargin: '600px' },
    )
    observer.observe(button.current!)
    return () => observer.disconnect()
  })
  return (
    <Button ref={button} variant="default" mx="auto" display="block" onClick={onMore}>
      {t('common.more')}
    </Button>
  )
}
