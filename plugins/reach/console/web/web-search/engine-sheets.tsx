import { Button } from '@mantine/core'
import { useState } from 'react'
import { findWord, t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { ArrowLeft } from '../ui/icons.ts'
import { KindCards } from '../ui/kind-cards.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { EngineFields } from './engine-fields.tsx'
import { type EngineValues, toEngine, valuesOf } from './engine-form.ts'
import { type SearchEngine, type SearchEngineKind, type StoredSettings, saveWebSearch } from './web-search.ts'

interface AddProps {
  stored: StoredSettings
  onAdded(kind: string): void
  onClose(): void
}

/** Adds a search engine behind the others: its kind first, then its settings. */
export function AddEngine({ stored, onAdded, onClose }: AddProps) {
  const { data: kinds = [], error, refetch } = api.useQuery('get', '/admin/web-search/kinds')
  const [kind, setKind] = useState<SearchEngineKind>()
  const { engines } = stored.data
  const isFree = ({ kind }: SearchEngineKind) => !engines.some((engine) => engine.kind === kind)
  const add = async (values: EngineValues) => {
    await saveWebSearch(stored, { engines: [...engines, toEngine(kind!, values)] })
    onAdded(kind!.kind)
  }
  if (kind)
    return (
      <EngineSheet
        title={t('web-search.new', { name: kind.label })}
        kind={kind}
        position={engines.length}
        values={{ config: {}, price: null }}
        saveLabel={t('forms.add')}
        onSave={add}
        onClose={onClose}
        onBack={() => setKind(undefined)}
      />
    )
  return (
    <Sheet title={t('web-search.add')} onClose={onClose}>
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <KindCards
          label={t('web-search.choose_kind')}
          kinds={kinds
            .filter(isFree)
            .map((kind) => ({ ...kind, about: findWord(`web-search.about_${kind.kind}`) ?? '' }))}
          onChoose={(kind) => setKind(kind)}
          icon={({ label }) => <Monogram name={label} />}
        />
      )}
    </Sheet>
  )
}

interface EditProps {
  engine: SearchEngine
  stored: StoredSettings
  onClose(): void
}

/** Changes a search engine, which keeps its place. */
export function EditEngine({ engine, stored, onClose }: EditProps) {
  const { data: kinds } = api.useQuery('get', '/admin/web-search/kinds')
  const kind = kinds?.find(({ kind }) => kind === engine.kind)
  const { engines } = stored.data
  if (!kind)
    return (
      <Sheet title={engine.label} onClose={onClose}>
        {kinds && t('web-search.kind_gone')}
      </Sheet>
    )
  const save = (values: EngineValues) => {
    const changed = toEngine(kind, values)
    return saveWebSearch(stored, {
      engines: engines.map((other) => (other.kind === engine.kind ? changed : other)),
    })
  }
  return (
    <EngineSheet
      title={engine.label}
      kind={kind}
      position={engines.findIndex(({ kind }) => kind === engine.kind)}
      values={valuesOf(engine)}
      onSave={save}
      onClose={onClose}
    />
  )
}

interface EngineSheetProps {
  title: string
  kind: SearchEngineKind
  position: number
  values: EngineValues
  saveLabel?: string
  onSave(values: EngineValues): Promise<unknown>
  onClose(): void
  /** Returns to the choice of a kind. */
  onBack?(): void
}

function EngineSheet({
  title,
  kind,
  position,
  values,
  saveLabel,
  onSave,
  onClose,
  onBack,
}: EngineSheetProps) {
  const draft = useDraft(values)
  return (
    <Sheet
      title={title}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={() => onSave(draft.value)}
      {...(saveLabel !== undefined && { saveLabel })}
      onClose={onClose}
      aside={
        onBack && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<ArrowLeft size={14} aria-hidden />}
            onClick={onBack}
          >
            {t('web-search.all_kinds')}
          </Button>
        )
      }
    >
      <EngineFields kind={kind} position={position} values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}
