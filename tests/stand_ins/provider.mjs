// A certified OpenID Connect provider for browser tests: bun provider.mjs PORT PAGE… It prints a line once it is ready.
// Anybody signs in by a name; the pages need no other host.

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

const [port, ...pages] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const SCOPE = "api://server/access_as_user";
const html = (body) => `<!doctype html><html lang="en"><title>Provider</title><main>${body}</main></html>`;
const send = (ctx, body) => {
  ctx.type = "html";
  ctx.body = html(body);
};
const jwk = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "public",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      redirect_uris: pages.map((page) => `${page}/api/sign-in/callback`),
      post_logout_redirect_uris: pages.map((page) => `${page}/`),
    },
  ],
  jwks: { keys: [{ ...jwk, kid: "key", alg: "RS256", use: "sig" }] },
  scopes: ["openid", "offline_access", SCOPE],
  claims: { openid: ["sub"], profile: ["name"] },
  conformIdTokenClaims: false, // The name is in the ID token, as of Entra ID, Okta and Keycloak.
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, name: `${sub} Example` }) }),
  features: {
    devInteractions: { enabled: false }, // Its pages load a font from another host.
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) =>
        send(ctx, `${form}<button form="op.logoutForm" name="logout" value="yes">End session</button>`),
      postLogoutSuccessSource: (ctx) => send(ctx, "Signed out"),
    },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => "api://server",
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, audience) => ({ audience, scope: SCOPE, accessTokenFormat: "jwt" }),
    },
  },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  renderError: (ctx, { error }) => send(ctx, `Error: ${error}`),
  pkce: { required: () => true },
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  cookies: { keys: ["for tests"] },
});

async function interact(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const finish = (result) => provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  if (prompt.name === "consent") {
    const { accountId } = session;
    const grant = (await provider.Grant.find(grantId)) ?? new provider.Grant({ accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    grant.addResourceScope("api://server", SCOPE);
    return finish({ consent: { grantId: await grant.save() } });
  }
  if (request.method === "GET") {
    const buttons = '<button>Sign in</button><button name="abort" value="1">Cancel</button>';
    response.setHeader("Content-Type", "text/html");
    return response.end(html(`<form method="post"><input name="login" aria-label="Name">${buttons}</form>`));
  }
  const sent = new URLSearchParams(await new Response(request).text());
  return finish(sent.has("abort") ? { error: "access_denied" } : { login: { accountId: sent.get("login") } });
}

const callback = provider.callback();
createServer((request, response) =>
  request.url.startsWith("/interaction/") ? interact(request, response) : callback(request, response),
).listen(Number(port), "127.0.0.1", () => console.log("ready"));
