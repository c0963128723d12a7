import { Alert } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import type { Schema } from '../ui/schema-form-schema.ts'
import { Sheet } from '../ui/sheet.tsx'
import { StoredSheet } from '../ui/stored-sheet.tsx'
import { ConnectorFields } from './connector-fields.tsx'
import {
  type Connector,
  type ConnectorKind,
  readConnector,
  updateConnector,
  valuesOf,
} from './connector-form.ts'

interface Props {
  connector: Connector
  onClose(): void
}

/** Changes a connector, as it is stored now. */
export function EditConnector({ connector, onClose }: Props) {
  const { data: kinds } = api.useQuery('get', '/connectors/kinds')
  return (
    <StoredSheet
      row={connector}
      kinds={kinds}
      gone={t('connectors.kind_gone')}
      read={() => readConnector(connector.id)}
      onClose={onClose}
    >
      {(loaded) => <Editor {...loaded} onClose={onClose} />}
    </StoredSheet>
  )
}

interface EditorProps {
  stored: Connector
  tag: string | null
  kind: ConnectorKind
  onClose(): void
}

function Editor({ stored, tag, kind, onClose }: EditorProps) {
  const draft = useDraft(valuesOf(stored))
  const save = async () => {
    await updateConnector(stored, draft.base, draft.value, { tag, schema: kind.config_schema as Schema })
    await refresh('/connectors')
  }
  return (
    <Sheet
      title={stored.name}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={save}
      onClose={onClose}
    >
      {stored.error && (
        <Alert color={stored.status === 'failed' ? 'red' : 'gray'} variant="light">
          {stored.error}
        </Alert>
      )}
      <ConnectorFields kind={kind} values={draft.value} onChange={draft.change} stored={stored} />
    </Sheet>
  )
}
