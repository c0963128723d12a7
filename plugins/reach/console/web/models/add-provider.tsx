import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { ArrowLeft } from '../ui/icons.ts'
import { KindCards } from '../ui/kind-cards.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { KindMark, sortKinds } from './kind-mark.tsx'
import { ProviderFields } from './provider-fields.tsx'
import { createProvider, newValues, type Provider, type ProviderKind } from './provider-form.ts'

interface Props {
  scope: Provider['scope']
  /** The names that are taken. */
  names: string[]
  /** Called with the name of the provider once it is stored. */
  onAdded?(name: string): Promise<unknown>
  onClose(): void
}

/** Adds a provider: its kind first, then its settings. */
export function AddProvider(props: Props) {
  const { data: kinds = [] } = api.useQuery('get', '/providers/kinds')
  const [kind, setKind] = useState<ProviderKind>()
  if (kind) return <NewProvider {...props} kind={kind} onBack={() => setKind(undefined)} />
  return (
    <Sheet title={t('models.add')} onClose={props.onClose}>
      <KindCards
        label={t('models.choose_kind')}
        kinds={sortKinds(kinds)}
        onChoose={(kind) => setKind(kind)}
        icon={(kind) => <KindMark kind={kind} />}
      />
    </Sheet>
  )
}

function NewProvider({
  scope,
  names,
  onAdded,
  onClose,
  onBack,
  kind,
}: Props & { kind: ProviderKind; onBack(): void }) {
  const draft = useDraft(newValues(kind, scope, names))
  const create = async () => {
    await createProvider(kind, draft.value)
    await refresh('/providers', '/models')
    await onAdded?.(draft.value.name)
  }
  return (
    <Sheet
      title={t('models.new', { kind: kind.label })}
      isDirty={draft.isDirty}
      onSave={create}
      saveLabel={t('forms.add')}
      onClose={onClose}
      aside={
        <Button
          variant="subtle"
          color="gray"
          leftSection={<ArrowLeft size={14} aria-hidden />}
          onClick={onBack}
        >
          {t('models.all_kinds')}
        </Button>
      }
    >
      <ProviderFields kind={kind} values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}
