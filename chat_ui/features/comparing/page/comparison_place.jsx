// The place of the comparison below two columns, loaded with the first comparison.

import { useLoaded } from "../../../page/shared/loading.js";

const load = () => import("./comparison.jsx");

export function Comparison(props) {
  const { value } = useLoaded(load, []);
  return value && <value.Comparison {...props} />;
}
