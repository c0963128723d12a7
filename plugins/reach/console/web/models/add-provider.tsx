import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { KindCards } from '../ui/kind-cards.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ProviderFields } from './provider-fields.tsx'
import { createProvider, newValues, type Provider, type ProviderKind } from './provider-form.ts'

interface Props {
  scope: Provider['scope']
  /** The names that are taken. */
  names: string[]
  onClose(): void
}

/** Adds a provider: its kind first, then its settings. */
export function AddProvider(props: Props) {
  const { data: kinds = [] } = api.useQuery('get', '/providers/kinds')
  const [kind, setKind] = useState<ProviderKind>()
  if (kind) return <NewProvider {...props} kind={kind} />
  return (
    <Sheet title={t('models.add')} onClose={props.onClose}>
      <KindCards
        label={t('models.choose_kind')}
        kinds={kinds}
        onChoose={(kind) => setKind(kind)}
        icon={({ label }) => <Monogram name={label} />}
      />
    </Sheet>
  )
}

function NewProvider({ scope, names, onClose, kind }: Props & { kind: ProviderKind }) {
  const draft = useDraft(newValues(kind, scope, names))
  const create = async () => {
    await createProvider(kind, draft.value)
    await refresh('/providers', '/models')
  }
  return (
    <Sheet
      title={t('models.new', { kind: kind.label })}
      isDirty={draft.isDirty}
      onSave={create}
      saveLabel={t('forms.add')}
      onClose={onClose}
    >
      <ProviderFields kind={kind} values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}
