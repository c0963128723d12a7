import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { KindCards } from '../ui/kind-cards.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ConnectorFields } from './connector-fields.tsx'
import { type Connector, type ConnectorKind, createConnector, newValues } from './connector-form.ts'

interface Props {
  /** The names that are taken. */
  names: string[]
  onCreated(connector: Connector): void
  onClose(): void
}

/** Adds a connector: a kind of the catalogue first, then its settings. */
export function AddConnector(props: Props) {
  const { data: kinds = [], error, refetch } = api.useQuery('get', '/connectors/kinds')
  const [kind, setKind] = useState<ConnectorKind>()
  const isAdmin = useAccount().role === 'admin'
  if (kind) return <NewConnector {...props} kind={kind} />
  return (
    <Sheet title={t('connectors.add')} onClose={props.onClose} width={560}>
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <KindCards
          label={t('connectors.choose_kind')}
          kinds={kinds
            .filter(({ admin_only }) => isAdmin || !admin_only)
            .map((kind) => ({ ...kind, about: kind.description ?? '' }))}
          onChoose={(kind) => setKind(kind)}
          icon={({ label }) => <Monogram name={label} />}
        />
      )}
    </Sheet>
  )
}

function NewConnector({ kind, names, onCreated, onClose }: Props & { kind: ConnectorKind }) {
  const draft = useDraft(newValues(kind, names))
  const create = async () => {
    onCreated(await createConnector(kind, draft.value))
    await refresh('/connectors')
  }
  return (
    <Sheet
      title={t('connectors.new', { kind: kind.label })}
      isDirty={draft.isDirty}
      onSave={create}
      saveLabel={t('forms.add')}
      onClose={onClose}
    >
      <ConnectorFields kind={kind} values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}
