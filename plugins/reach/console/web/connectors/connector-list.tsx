import { Button, Menu, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CodeBlock } from '../chat/markdown/code-block.tsx'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { ShareItem } from '../sharing/share-item.tsx'
import { SharedSign } from '../sharing/shared-sign.tsx'
import { SharingSheet } from '../sharing/sharing-sheet.tsx'
import { Failure } from '../ui/failure.tsx'
import { List, type Rows } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { Pending } from '../ui/pending.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { State } from '../ui/state.tsx'
import { useAction } from '../ui/use-action.ts'
import { type Connector, describeCheck, needsSignIn } from './connector-form.ts'
import { EditConnector } from './edit-connector.tsx'
import SignIn from './sign-in.tsx'
import { ToolsSheet } from './tools-sheet.tsx'

const TONES = { ready: 'on', connecting: 'changing', unauthorized: 'waiting', failed: 'failed' } as const

/** Connectors with their states and actions. */
export function ConnectorList(rows: Rows<Connector> & { empty: ReactNode }) {
  const { data: kinds } = api.useQuery('get', '/connectors/kinds')
  const [open, setOpen] = useState<{
    dialog: 'edit' | 'share' | 'tools' | 'log' | 'sign_in'
    connector: Connector
  }>()
  const { error, run } = useAction()
  const kindOf = (connector: Connector) => kinds?.find(({ kind }) => kind === connector.kind)
  const labelOf = (connector: Connector) => kindOf(connector)?.label ?? connector.kind
  const close = () => setOpen(undefined)

  const attempt = (change: Promise<unknown>) => run(() => change.finally(() => refresh('/connectors')))
  const pathOf = ({ id }: Connector) => ({ params: { path: { id } } })
  const test = (connector: Connector) =>
    attempt(send(client.POST('/connectors/{id}/test', pathOf(connector))))
  const signOut = (connector: Connector) =>
    attempt(send<unknown>(client.DELETE('/connectors/{id}/credentials', pathOf(connector))))
  const remove = async (connector: Connector) => {
    await send<unknown>(client.DELETE('/connectors/{id}', pathOf(connector)))
    await refresh('/connectors')
  }

  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <List
        {...rows}
        label={t('frame.connectors')}
        keyOf={({ id }) => id}
        textOf={(connector) => `${connector.name} ${labelOf(connector)}`}
      >
        {(connector) => {
          const { name, scope, tools, status, error, is_owner, can_edit, auth, has_credentials } = connector
          const unseen = tools.filter((tool) => !tool.seen).length
          const show = (dialog: NonNullable<typeof open>['dialog']) => () => setOpen({ dialog, connector })
          return (
            <ListRow
              icon={<Monogram name={labelOf(connector)} />}
              title={name}
              meta={
                <>
                  {[
                    labelOf(connector),
                    tools.length > 0 && t('connectors.tools_count', { count: tools.length }),
                    scope === 'global' && t('models.global'),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                  {status === 'failed' && (
                    <div>
                      {describeCheck(connector)}
                      <Text size="xs" lineClamp={2}>
                        {error}
                      </Text>
                    </div>
                  )}
                  {can_edit && unseen > 0 && (
                    <div>
                      <State tone="waiting">{t('connectors.unseen', { count: unseen })}</State>
                    </div>
                  )}
                </>
              }
              onOpen={show(can_edit ? 'edit' : 'tools')}
            >
              <SharedSign {...connector} />
              {needsSignIn(connector) ? (
                <Button size="compact-sm" onClick={show('sign_in')}>
                  {t('connectors.sign_in')}
                </Button>
              ) : (
                <State tone={status === 'unauthorized' && auth !== 'oauth' ? 'failed' : TONES[status]}>
                  {t(`connectors.state_${status}`)}
                </State>
              )}
              <RowMenu
                name={name}
                onEdit={can_edit ? show('edit') : undefined}
                deletion={is_owner && { about: t('connectors.delete_about'), run: () => remove(connector) }}
              >
                <ShareItem row={connector} onOpen={show('share')} />
                <Menu.Item onClick={show('tools')}>{t('connectors.tools')}</Menu.Item>
                {can_edit && <Menu.Item onClick={() => test(connector)}>{t('connectors.retry')}</Menu.Item>}
                {auth === 'oauth' && (
                  <Menu.Item onClick={show('sign_in')}>
                    {t(has_credentials ? 'connectors.sign_in_again' : 'connectors.sign_in')}
                  </Menu.Item>
                )}
                {has_credentials && (
                  <Menu.Item onClick={() => signOut(connector)}>{t('connectors.sign_out')}</Menu.Item>
                )}
                {can_edit && kindOf(connector)?.admin_only && (
                  <Menu.Item onClick={show('log')}>{t('connectors.log')}</Menu.Item>
                )}
              </RowMenu>
            </ListRow>
          )
        }}
      </List>
      {open?.dialog === 'edit' && <EditConnector connector={open.connector} onClose={close} />}
      {open?.dialog === 'share' && (
        <SharingSheet thing={{ ...open.connector, kind: 'connector' }} onClose={close} />
      )}
      {open?.dialog === 'tools' && <ToolsSheet connector={open.connector} onClose={close} />}
      {open?.dialog === 'log' && <LogSheet connector={open.connector} onClose={close} />}
      {open?.dialog === 'sign_in' && <SignIn connector={open.connector} onClose={close} />}
    </>
  )
}

/** The end of what the program of a connector has written to its standard error. */
function LogSheet({ connector: { id, name }, onClose }: { connector: Connector; onClose(): void }) {
  const { data, error, refetch } = api.useQuery(
    'get',
    '/connectors/{id}/log',
    { params: { path: { id } } },
    { staleTime: 0 },
  )
  return (
    <Sheet title={t('connectors.log_title', { name })} onClose={onClose} width={760}>
      {error || !data ? (
        <Pending error={error} refetch={refetch} height={160} />
      ) : data.log ? (
        <CodeBlock code={data.log} language="" />
      ) : (
        <Text size="sm" c="var(--meta)">
          {t('connectors.log_empty')}
        </Text>
      )}
    </Sheet>
  )
}
