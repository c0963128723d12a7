import { ActionIcon, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMenu } from '../frame/menu.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Circle, CircleCheck, X } from '../ui/icons.ts'
import classes from './checklist.module.css'
import { noteProgress, readProgress } from './progress.ts'

interface Item {
  key: string
  label: WordKey
  /** The entry of the menu that it leads to; without one it is not shown. */
  page: WordKey
  /** True if the server shows that it is done; others are done once they were opened. */
  isDone?: boolean
}

/** The next steps with a fresh server, in the left bar until they are dismissed. */
export function Checklist({ onLeave }: { onLeave?: (() => void) | undefined }) {
  const [progress, setProgress] = useState(readProgress)
  const menu = useMenu()
  const isShown = progress?.state === 'begun'
  const { data } = api.useQuery('get', '/admin/overview', {}, { enabled: isShown })
  if (!isShown || !data) return null
  const { channels, user_count } = data
  const items: Item[] = [
    {
      key: 'channel',
      label: 'first-run.channel',
      page: 'frame.channels',
      isDone: channels.connected + channels.failed > 0,
    },
    { key: 'knowledge', label: 'first-run.knowledge', page: 'frame.knowledge' },
    { key: 'invite', label: 'first-run.invite', page: 'frame.invites', isDone: user_count > 1 },
    { key: 'backup', label: 'first-run.backup', page: 'frame.overview' },
  ]
  const note = (changes: Parameters<typeof noteProgress>[0]) => {
    noteProgress(changes)
    setProgress(readProgress())
  }
  return (
    <section className={classes.checklist} aria-label={t('first-run.next_steps')}>
      <div className={classes.head}>
        <Text size="xs" fw={500} c="var(--meta)">
          {t('first-run.next_steps')}
        </Text>
        <ActionIcon
          size="xs"
          variant="subtle"
          color="gray"
          aria-label={t('first-run.dismiss')}
          onClick={() => note({ state: 'over' })}
        >
          <X size={12} />
        </ActionIcon>
      </div>
      <ul>
        {items.map(({ key, label, page, isDone = progress.done.includes(key) }) => {
          const entry = menu.find((entry) => entry.label === page)
          if (!entry) return null
          const Icon = isDone ? CircleCheck : Circle
          return (
            <li key={key}>
              <Link
                to={entry.to}
                className={classes.item}
                data-done={isDone || undefined}
                onClick={() => {
                  note({ done: [...progress.done, key] })
                  onLeave?.()
                }}
              >
                <Icon size={14} aria-label={isDone ? t('first-run.done') : undefined} aria-hidden={!isDone} />
                {t(label)}
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
