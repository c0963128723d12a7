import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Outcome } from '../ui/outcome.tsx'
import { ConnectorFields } from './connector-fields.tsx'
import {
  type Connector,
  describeCheck,
  needsSignIn,
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
  const kind = kinds?.find(({ kind }) => kind === connector.kind)
  return (
    <EditSheet
      title={connector.name}
      id={connector.id}
      read={() => readConnector(connector.id)}
      valuesOf={({ data }) => valuesOf(data)}
      save={async ({ data, tag }, base, values) => {
        await updateConnector(data, base, values, { tag, kind })
        await refresh('/connectors')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data: stored }) => (
        <>
          {stored.error && (
            <Outcome
              color={stored.status === 'failed' ? 'red' : 'gray'}
              detail={needsSignIn(stored) ? undefined : stored.error}
            >
              {describeCheck(stored)}
            </Outcome>
          )}
          {kind && <ConnectorFields {...{ kind, values, onChange, stored }} />}
          {kinds && !kind && t('connectors.kind_gone')}
        </>
      )}
    </EditSheet>
  )
}
