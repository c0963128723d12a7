import {
  type KeyboardEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { AgentIcon } from '../../agents/agent-icon.tsx'
import { t } from '../../i18n/words.ts'
import type { Prompt } from '../../prompts/use-prompts.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { ListedAgent } from '../use-agent.ts'
import type { Draft } from './draft.ts'
import type { Suggestion, SuggestionKeys, Trigger } from './suggestion.ts'
import classes from './suggestions.module.css'
import { useActions, usePromptEntries } from './use-actions.ts'
import { useMentions } from './use-mentions.ts'

/** The most suggestions that are shown. */
const MAX_SHOWN = 30

interface Props {
  id: string
  agent: ListedAgent
  store: ThreadStore | undefined
  draft: Draft
  text: string
  /** The position of the caret in the text. */
  caret: number
  trigger: Trigger
  keys: Ref<SuggestionKeys>
  /** Called with the id of the chosen suggestion; undefined while none is shown. */
  onChoice(id: string | undefined): void
  /** Called with the whole text and the position of the caret in it. */
  onText(text: string, caret: number): void
  onAttach(): void
  /** Called with a saved prompt that was chosen. */
  onFill(prompt: Prompt): void
  onFailure(error: unknown): void
}

/**
 * The suggestions above the composer, whose field keeps the focus: actions and saved prompts after `/`, other agents and
 * files after `@`.
 */
export default function Suggestions({
  id,
  agent,
  store,
  draft,
  text,
  caret,
  trigger: { action, mention },
  keys,
  onChoice,
  onText,
  onAttach,
  onFill,
  onFailure,
}: Props) {
  const [selectedIndex, setSelectedIndex] = useState(0)
  const [dismissed, setDismissed] = useState('')
  /** The text up to the end of the agent's name that was inserted last. */
  const [inserted, setInserted] = useState<string>()
  const isInserted = mention && inserted?.startsWith('@', mention.start) && text.startsWith(inserted)
  const actions = useActions({ agent_id: agent.id, store, onAttach, onFailure })
  const prompts = usePromptEntries(action !== undefined, onFill)
  const replace = (replacement: string) => {
    const head = text.slice(0, mention?.start) + replacement
    if (replacement !== '') setInserted(head)
    onText(head + text.slice(caret), head.length)
  }
  const mentions = useMentions({
    agent,
    search: isInserted ? undefined : mention?.search,
    onReplace: replace,
    onAttach: draft.attach,
  })
  const runAction = (run: () => void) => () => {
    draft.set({ text: '' })
    run()
  }
  const words = action?.toLowerCase() ?? ''
  // Those whose own word is typed come first.
  const rank = ({ key }: Suggestion) => Number(key.toLowerCase().startsWith(`/${words}`))
  const all =
    action === undefined
      ? mentions
      : [...actions, ...prompts.entries]
          .filter(({ key, label }) => `${key} ${label}`.toLowerCase().includes(words))
          .toSorted((left, right) => rank(right) - rank(left))
          .map(({ run, ...rest }) => ({ ...rest, run: runAction(run) }))
  const items = text === dismissed ? [] : all.slice(0, MAX_SHOWN)
  const chosen = Math.min(selectedIndex, items.length - 1)
  const error = action === undefined ? null : prompts.error

  /** Moves in the suggestions, takes one, or closes them; false if the key is not for them. */
  const handleKey = (event: KeyboardEvent): boolean => {
    if (items.length === 0) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setSelectedIndex((chosen + step + items.length) % items.length)
    else if (event.key === 'Enter' || event.key === 'Tab') {
      items[chosen]?.run()
      setSelectedIndex(0)
    } else if (event.key === 'Escape') setDismissed(text)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  useImperativeHandle(keys, () => ({ handleKey }))

  const chosenId = items.length > 0 ? `${id}-${chosen}` : undefined
  // In the same task as the list, so that the field never names a suggestion that is gone.
  useLayoutEffect(() => {
    onChoice(chosenId)
    return () => onChoice(undefined)
  }, [chosenId, onChoice])
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  if (items.length === 0 && !error) return null
  return (
    <div className={classes.box}>
      {items.length > 0 && (
        <div ref={list} id={id} role="listbox" aria-label={t('chat.suggestions')} className={classes.list}>
          {items.map(({ key, id: entryId = key, label, icon: Icon, agent, run }, index) => (
            <button
              key={entryId}
              id={`${id}-${index}`}
              type="button"
              role="option"
              aria-selected={index === chosen}
              tabIndex={-1}
              className={classes.entry}
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setSelectedIndex(index)}
              onClick={run}
            >
              {agent ? <AgentIcon agent={agent} size="sm" /> : <Icon size={15} aria-hidden />}
              <span className={classes.label}>{label}</span>
              {agent ? (
                <span className={classes.about}>{agent.description}</span>
              ) : (
                key !== label && <span className={classes.key}>{key}</span>
              )}
            </button>
          ))}
        </div>
      )}
      {error ? (
        <p role="status" className={classes.note}>
          {t('prompts.unavailable')}
        </p>
      ) : null}
    </div>
  )
}
