import { Popover, UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { joinNames, t } from '../../i18n/words.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import { Library, Plug } from '../../ui/icons.ts'
import { Loading } from '../../ui/pending.tsx'
import type { SendSettings } from '../store/thread-store.ts'
import type { ListedAgent } from '../use-agent.ts'
import classes from './source-picker.module.css'
import { namesOf, useConnectors, useKnowledge } from './use-sources.ts'

const SourceChoices = lazy(() => import('./source-choices.tsx'))

interface Props {
  agent: ListedAgent
  thread_id: string | undefined
  settings: SendSettings
  onChange(changes: Partial<SendSettings>): void
}

/** The knowledge bases and connectors that are on in a conversation; a click changes them. */
export function SourcePicker(props: Props) {
  const [isOpen, setOpen] = useState(false)
  const knowledge = useKnowledge(props)
  const connectors = useConnectors(props)
  if (knowledge.items.length === 0 && connectors.items.length === 0) return null
  const names = [...namesOf(knowledge), ...namesOf(connectors)]
  const label =
    names.length === 0 ? t('chat.sources_none') : t('chat.sources_on', { names: joinNames(names) })
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-start" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <UnstyledButton
          className={classes.button}
          aria-label={label}
          title={label}
          onClick={() => setOpen(!isOpen)}
        >
          <Chip icon={Library} names={namesOf(knowledge)} isOnly={names.length === 0} />
          <Chip icon={Plug} names={namesOf(connectors)} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={<Loading height={60} />}>
          <SourceChoices kinds={[knowledge, connectors]} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}

interface ChipProps {
  icon: IconComponent
  names: string[]
  /** True if the icon is shown although nothing is on. */
  isOnly?: boolean
}

/** The number of sources of a kind that are on, or the name of the only one. */
function Chip({ icon: Icon, names, isOnly = false }: ChipProps) {
  if (names.length === 0)
    return isOnly ? (
      <span className={classes.icon}>
        <Icon size={16} aria-hidden />
      </span>
    ) : null
  return (
    <span className={classes.chip}>
      <Icon size={13} aria-hidden />
      {names.length === 1 ? <span className={classes.name}>{names[0]}</span> : names.length}
    </span>
  )
}
