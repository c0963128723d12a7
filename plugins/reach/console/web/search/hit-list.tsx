import { Link } from '@tanstack/react-router'
import { titleOf } from '../chat/thread-list.ts'
import { t } from '../i18n/words.ts'
import { moveFocus } from '../ui/move-focus.ts'
import { Time } from '../ui/time.tsx'
import classes from './hit-list.module.css'
import { addressOf, type Hit } from './search.ts'
import { Snippet } from './snippet.tsx'

interface Props {
  hits: readonly Hit[]
  /** True to list the hits of a conversation under its title. */
  isGrouped: boolean
}

/** The messages that a search found; each leads to its place in the conversation. */
export function HitList({ hits, isGrouped }: Props) {
  const groups = isGrouped ? groupHits(hits) : hits.map((hit) => [hit])
  return (
    <ul
      className={classes.groups}
      aria-label={t('search.results')}
      onKeyDown={(event) => {
        const list = event.currentTarget
        moveFocus(event, () => [...list.querySelectorAll('[data-hit]')])
      }}
    >
      {groups.map((group) => (
        <Conversation key={keyOf(group[0]!)} hits={group} />
      ))}
    </ul>
  )
}

function Conversation({ hits }: { hits: Hit[] }) {
  const [first] = hits as [Hit]
  return (
    <li className={classes.group}>
      <div className={classes.head}>
        <span className={classes.title}>{titleOf(first)}</span>
        <span className={classes.agent}>{first.agent_name}</span>
      </div>
      <ul className={classes.hits}>
        {hits.map((hit) => (
          <li key={keyOf(hit)} data-hit>
            <Link {...addressOf(hit)} className={classes.hit}>
              <span className={classes.about}>
                {hit.message_id === null
                  ? t('search.in_title')
                  : t(hit.role === 'user' ? 'chat.you' : 'chat.agent')}
                {' · '}
                <Time at={hit.timestamp / 1000} />
              </span>
              <Snippet parts={hit.snippet} />
            </Link>
          </li>
        ))}
      </ul>
    </li>
  )
}

const keyOf = ({ thread_id, message_id }: Hit) => `${thread_id} ${message_id}`

/** Groups hits by their conversations, in the order of the first hit of each. */
function groupHits(hits: readonly Hit[]): Hit[][] {
  const groups = new Map<string, Hit[]>()
  for (const hit of hits) {
    const group = groups.get(hit.thread_id)
    if (group) group.push(hit)
    else groups.set(hit.thread_id, [hit])
  }
  return [...groups.values()]
}
