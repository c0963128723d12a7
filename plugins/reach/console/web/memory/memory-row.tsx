import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../i18n/words.ts'
import { Confirm } from '../ui/confirm.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { EditMemory } from './edit-memory.tsx'
import { deleteMemory, type Memory } from './memories.ts'
import { MemoryFacts } from './memory-facts.tsx'
import type { AgentNames } from './use-agent-names.ts'

interface Props {
  memory: Memory
  names: AgentNames
}

/** A memory in the list: its text, which a click edits in its place, and its origin. */
export function MemoryRow({ memory, names }: Props) {
  const [state, setState] = useState<'shown' | 'edited' | 'asked'>('shown')
  const side = useRef<HTMLDivElement>(null)
  const { id, text } = memory
  const edit = () => setState('edited')
  const endEdit = (hasFocus: boolean) => {
    flushSync(() => setState('shown'))
    if (hasFocus) side.current?.closest('li')?.querySelector('button')?.focus()
  }
  if (state === 'edited') return <EditMemory memory={memory} onClose={endEdit} />
  return (
    <>
      <ListRow title={text} meta={<MemoryFacts memory={memory} names={names} />} onOpen={edit}>
        <div ref={side}>
          <RowMenu name={text} onEdit={edit} onDelete={() => setState('asked')} />
        </div>
      </ListRow>
      {state === 'asked' && (
        <Confirm
          title={t('memory.delete_title')}
          action={t('common.delete')}
          onConfirm={() => deleteMemory(id)}
          onClose={() => setState('shown')}
        >
          {t('memory.delete_about', { text })}
        </Confirm>
      )}
    </>
  )
}
