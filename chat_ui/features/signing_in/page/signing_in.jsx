// Loads the account where people can sign in.

import { useEffect, useState } from "react";
import { signIn } from "../../../page/painted/options.js";
import { needed } from "../../../page/shared/loading.js";

export function SigningIn({ address }) {
  const [script, setScript] = useState(null);
  useEffect(() => {
    if (signIn) needed(() => import("./account.jsx")).then(setScript);
  }, []);
  return script && <script.Account address={address} isAppService={signIn.app_service} />;
}
