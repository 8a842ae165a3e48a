"""The addresses that may be called on behalf of a person or of an answer.

The decision is made on numbers, after resolving: neither a name nor the spelling of an address proves anything.
Deciding does no I/O; `outgoing` resolves, asks here, and connects to the judged addresses.

Ranges are those of the IANA special-purpose registries. `ipaddress.is_global` is not enough: Python 3.11 calls 6to4,
NAT64 and IPv4-compatible forms of 127.0.0.1 global. Multicast is global too, as are the fixed addresses at which clouds
serve credentials.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from chat_ui.protocol.errors import AddressRefusedError
from chat_ui.protocol.translatable import Translatable, msg

Policy: TypeAlias = Literal["public", "local"]
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Guard:
    """Allows calls to every origin of `origins`, and to the addresses that `policy` allows.

    `public` allows addresses of the public internet. `local` allows those of this machine and of private networks as
    well; it is for a person's own machine. `origins` are the operator's, as `origin_of` writes them.
    """

    policy: Policy = "local"
    origins: frozenset[str] = frozenset()

    def trusts(self, url: str) -> bool:
        """Whether `url` is at an origin that the operator named."""
        origin = origin_of(url)
        return origin != "" and origin in self.origins

    def check(self, host: str, addresses: Sequence[str]) -> tuple[Address, ...]:
        """The numeric `addresses` of `host`, if all of them may be called.

        Raises:
            AddressRefusedError: one of them may not, or the list is empty.
        """
        parsed: list[Address] = []
        for text in addresses:
            try:
                address = ipaddress.ip_address(text.partition("%")[0])
            except ValueError as error:
                raise _no_address(host) from error
            fault = address_fault(address, self.policy)
            if fault is not None:
                raise _refused(host, address, fault)
            parsed.append(address)
        if not parsed:
            raise _no_address(host)
        return tuple(parsed)


def guard_for(policy: Policy, urls: Iterable[str] = ()) -> Guard:
    """A guard with `policy` that lets requests through to the origins of the operator's `urls`."""
    return Guard(policy, frozenset(origin_of(url) for url in urls))


def origin_of(url: str) -> str:
    """The origin of `url`, always with its port, such as `https://example.com:443`; else an empty string."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if not host or parts.scheme not in _DEFAULT_PORTS:
        return ""
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{_DEFAULT_PORTS[parts.scheme] if port is None else port}"


def address_fault(address: Address, policy: Policy) -> Translatable | None:
    """Why `address` may not be called under `policy`, in words that follow “is”; None if it may."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = _same_as(address)
        if inner is not None:
            return address_fault(inner, policy)
        for tunnelled in _leads_to(address):
            if address_fault(tunnelled, "public") is not None:
                return msg("another way to write {address}", address=str(tunnelled))
    for network, description in _NEVER:
        if address in network:
            return description
    for network, description in _LOCAL:
        if address in network:
            return None if policy == "local" else description
    if isinstance(address, ipaddress.IPv6Address):
        return None if address in _IPV6_UNICAST or address in _NAT64 else _NOT_PUBLIC
    return None if address.is_global else _NOT_PUBLIC


def _no_address(host: str) -> AddressRefusedError:
    return AddressRefusedError(msg("{host} has no address that can be called. Check the spelling.", host=host))


def _refused(host: str, address: Address, fault: Translatable) -> AddressRefusedError:
    if host.strip("[]") == str(address):
        return AddressRefusedError(
            # Translators: {fault} is such as “an address of a private network”.
            msg("{host} is {fault}, which this server is not allowed to call.", host=host, fault=fault)
        )
    return AddressRefusedError(
        msg(
            "{host} leads to {address}, which is {fault}. This server is not allowed to call it.",
            host=host,
            address=str(address),
            fault=fault,
        )
    )


def _same_as(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an operating system calls for `address`."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    packed = address.packed
    is_compatible = packed[:12] == bytes(12) and int(address) > 1
    return ipaddress.IPv4Address(packed[12:]) if is_compatible else None


def _leads_to(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that a tunnel or a translator makes of `address`."""
    packed = address.packed
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    if address in _NAT64 or address in _TRANSLATED:
        return [ipaddress.IPv4Address(packed[12:])]
    is_isatap = packed[8:12] in (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")
    return [ipaddress.IPv4Address(packed[12:])] if is_isatap else []


def _networks(description: Translatable, *texts: str) -> list[tuple[Network, Translatable]]:
    return [(ipaddress.ip_network(text), description) for text in texts]


_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_TRANSLATED: Final = ipaddress.IPv6Network("::ffff:0:0:0/96")
_IPV6_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_CLOUD: Final = msg("a metadata address of a cloud")
_RESERVED: Final = msg("a reserved address")
_NOT_PUBLIC: Final = msg("not a public address")

_NEVER: Final = (
    # Azure's wire server, Oracle, Alibaba, AWS over IPv6, Google over IPv6.
    *_networks(_CLOUD, "168.63.129.16", "192.0.0.192", "100.100.100.200", "fd00:ec2::/32", "fd20:ce::254"),
    *_networks(msg("a link-local address"), "169.254.0.0/16", "fe80::/10", "fec0::/10"),
    *_networks(msg("not the address of a single machine"), "0.0.0.0/8", "::/128", "255.255.255.255"),
    *_networks(msg("a multicast address"), "224.0.0.0/4", "ff00::/8"),
    *_networks(msg("an address of a carrier's network"), "100.64.0.0/10"),
    *_networks(
        _RESERVED,
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        *("240.0.0.0/4", "100::/64", "2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "3fff::/20"),
        *("64:ff9b:1::/48", "5f00::/16"),
    ),
)
_LOCAL: Final = (
    *_networks(msg("an address of the server itself"), "127.0.0.0/8", "::1"),
    *_networks(msg("an address of a private network"), "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
)
