// A provider of OpenID Connect on loopback, for one client and any person: `node provider.mjs CALLBACK`.
// Prints its address. The login page is the library's own, for development: a name, any password, then a consent.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [, , modules, callback] = process.argv
const entry = createRequire(`${modules}/`).resolve('oidc-provider')
const { Provider } = await import(pathToFileURL(entry).href)
const { createServer } = await import('node:http')

const server = createServer()
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'pilot', client_secret: 'pilot secret', redirect_uris: [callback] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: !id.startsWith('unverified') }),
    }),
    pkce: { required: () => true },
  })
  server.on('request', provider.callback())
  console.log(issuer)
})
