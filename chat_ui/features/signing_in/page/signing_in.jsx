// Loads the account where people can sign in.

import { useEffect, useState } from "react";
import { signIn } from "../../../page/painted/options.js";
import { needed } from "../../../page/shared/loading.js";

export function SigningIn({ address }) {
  const [script, setScript] = useState(null);
  useEffect(() => {
    if (!signIn) return;
    // A person who signed in here is probably still signed in.
    if (localStorage.getItem("chat-ui-account")) document.getElementById("until-known")?.remove();
    needed(() => import("./account.jsx")).then(setScript);
  }, []);
  return script && <script.Account address={address} isAppService={signIn.app_service} />;
}
