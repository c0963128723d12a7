import { ActionIcon, Button, VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { formatMoney } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { ArrowDown, ArrowUp } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { useAction } from '../ui/use-action.ts'
import { EditEngine } from './engine-sheets.tsx'
import { type SearchEngine, type StoredSettings, saveWebSearch } from './web-search.ts'

interface Props {
  stored: StoredSettings
  onAdd(): void
}

type Direction = 'up' | 'down'

/** The search engines in the order in which they are asked, with the ways to change it. */
export function EngineList({ stored, onAdd }: Props) {
  const { engines } = stored.data
  const [editing, setEditing] = useState<string>()
  const [moved, setMoved] = useState<{ kind: string; direction: Direction }>()
  const { error, isBusy, run } = useAction()
  const list = useRef<HTMLDivElement>(null)
  const describe = useDescription(engines)
  const edited = engines.find(({ kind }) => kind === editing)
  const movedTo = engines.findIndex(({ kind }) => kind === moved?.kind)

  // The browser drops the focus of a row that it moves.
  useEffect(() => {
    if (!moved) return
    const row = list.current?.querySelectorAll('li')[movedTo]
    const buttons = [...(row?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? [])]
    const button = buttons.find(({ dataset }) => dataset.move === moved.direction)
    const target = button?.disabled ? buttons.find(({ disabled }) => !disabled) : button
    target?.focus()
  }, [moved, movedTo])

  const move = (position: number, direction: Direction) => {
    if (isBusy) return
    const next = [...engines]
    const [engine] = next.splice(position, 1)
    next.splice(direction === 'up' ? position - 1 : position + 1, 0, engine!)
    void run(async () => {
      await saveWebSearch(stored, { engines: next })
      setMoved({ kind: engine!.kind, direction })
    })
  }
  const mover = (engine: SearchEngine, position: number, direction: Direction) => (
    <ActionIcon
      variant="subtle"
      color="gray"
      data-move={direction}
      aria-label={t(`web-search.move_${direction}`, { name: engine.label })}
      disabled={position === (direction === 'up' ? 0 : engines.length - 1)}
      onClick={() => move(position, direction)}
    >
      {direction === 'up' ? <ArrowUp size={16} aria-hidden /> : <ArrowDown size={16} aria-hidden />}
    </ActionIcon>
  )
  return (
    <div ref={list}>
      {error !== undefined && <Failure error={error} />}
      <List
        rows={engines.map((engine, position) => ({ engine, position }))}
        error={undefined}
        refetch={() => undefined}
        label={t('web-search.engines')}
        keyOf={({ engine }) => engine.kind}
        empty={
          <Empty title={t('web-search.none')} action={<Button onClick={onAdd}>{t('web-search.add')}</Button>}>
            {t('web-search.none_about')}
          </Empty>
        }
      >
        {({ engine, position }) => (
          <ListRow
            icon={<Monogram name={engine.label} />}
            title={engine.label}
            meta={describe(engine, position)}
            onOpen={() => setEditing(engine.kind)}
          >
            {engines.length > 1 && (
              <>
                {mover(engine, position, 'up')}
                {mover(engine, position, 'down')}
              </>
            )}
            <RowMenu
              name={engine.label}
              onEdit={() => setEditing(engine.kind)}
              deletion={{
                about: t(engines.length > 1 ? 'web-search.remove_about' : 'web-search.remove_last'),
                run: () =>
                  saveWebSearch(stored, { engines: engines.filter(({ kind }) => kind !== engine.kind) }),
              }}
            />
          </ListRow>
        )}
      </List>
      <VisuallyHidden role="status">
        {moved &&
          t('web-search.moved', {
            name: engines[movedTo]?.label ?? '',
            position: movedTo + 1,
            count: engines.length,
          })}
      </VisuallyHidden>
      {edited && <EditEngine engine={edited} stored={stored} onClose={() => setEditing(undefined)} />}
    </div>
  )
}

/** Returns the function that describes an engine: its turn, its host and the price of a search. */
function useDescription(engines: readonly SearchEngine[]) {
  const { currency } = useFacts()
  return ({ base_url, price }: SearchEngine, position: number): string => {
    const previous = engines[position - 1]
    const facts = [
      engines.length > 1 &&
        (previous ? t('web-search.asked_after', { name: previous.label }) : t('web-search.asked_first')),
      typeof base_url === 'string' && URL.canParse(base_url) && new URL(base_url).host,
      price !== null &&
        currency !== null &&
        t('web-search.per_search', { price: formatMoney(price, currency) }),
    ]
    return facts.filter(Boolean).join(' · ')
  }
}
