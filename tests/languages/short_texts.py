"""Short texts as people and models write them, by their language; by "" where none can be told."""

SHORT_TEXTS = {
    "en": [
        "Your order was shipped yesterday.", "Please restart the router first.", "It costs 12 euros per month.",
        "Annual leave: 27 days a year.", "You can cancel the contract at any time in the settings of your account.",
    ],
    "da": [
        "Din ordre blev afsendt i går.", "Genstart venligst routeren først.", "Det koster 12 euro om måneden.",
        "Medarbejdere har ret til fem ugers ferie om året.",
        "Du kan opsige aftalen når som helst i indstillingerne for din konto.",
    ],
    "nb": [
        "Bestillingen din ble sendt i går.", "Start ruteren på nytt først.", "Det koster 12 euro i måneden.",
        "Ansatte har rett til fem uker ferie i året.",
        "Du kan si opp avtalen når som helst i innstillingene for kontoen din.",
    ],
    "sv": [
        "Din beställning skickades i går.", "Starta om routern först.", "Det kostar 12 euro i månaden.",
        "Anställda har rätt till fem veckors semester per år.",
        "Du kan säga upp avtalet när som helst i inställningarna för ditt konto.",
    ],
    "es": [
        "Su pedido se envió ayer por la tarde.", "Primero reinicie el enrutador, por favor.",
        "Cuesta 12 euros al mes.", "Vacaciones anuales: 27 días al año.",
        "Puede cancelar el contrato en cualquier momento en los ajustes de su cuenta.",
    ],
    "pt": [
        "A sua encomenda foi enviada ontem.", "Por favor, reinicie primeiro o roteador.",
        "Isso custa 12 euros por mês.", "Férias anuais: 27 dias por ano.",
        "Você pode cancelar o contrato a qualquer momento nas configurações da sua conta.",
    ],
    "gl": [
        "O seu pedido enviouse onte pola tarde.", "Primeiro reinicie o enrutador, por favor.",
        "Custa 12 euros ao mes.", "Vacacións anuais: 27 días ao ano.",
        "Pode cancelar o contrato en calquera momento nos axustes da súa conta.",
    ],
    "nl": [
        "Uw bestelling is gisteren verzonden.", "Start eerst de router opnieuw op.", "Het kost 12 euro per maand.",
        "Jaarlijks verlof: 27 dagen per jaar.",
        "U kunt het contract op elk moment opzeggen in de instellingen van uw account.",
    ],
    "af": [
        "Jou bestelling is gister gestuur.", "Begin eers weer die roeteerder.", "Dit kos 12 euro per maand.",
        "Werknemers het die reg op vyf weke verlof per jaar.",
        "Jy kan die kontrak enige tyd in die instellings van jou rekening kanselleer.",
    ],
    "de": [
        "Ihre Bestellung wurde gestern versandt.", "Bitte starten Sie zuerst den Router neu.",
        "Das kostet 12 Euro im Monat.", "Jahresurlaub: 27 Tage im Jahr.", "Microsoft Teams stürzt beim Start ab.",
    ],
    "cs": [
        "Vaše objednávka byla včera odeslána.", "Nejprve prosím restartujte router.", "Stojí to 12 eur měsíčně.",
        "Zaměstnanci mají nárok na pět týdnů dovolené ročně.",
        "Smlouvu můžete kdykoli vypovědět v nastavení svého účtu.",
    ],
    "sk": [
        "Vaša objednávka bola včera odoslaná.", "Najprv prosím reštartujte smerovač.", "Stojí to 12 eur mesačne.",
        "Zamestnanci majú nárok na päť týždňov dovolenky ročne.",
        "Zmluvu môžete kedykoľvek vypovedať v nastaveniach svojho účtu.",
    ],
    "ru": [
        "Ваш заказ был отправлен вчера.", "Сначала перезагрузите роутер.", "Это стоит 12 евро в месяц.",
        "Сотрудники имеют право на пять недель отпуска в год.",
        "Вы можете расторгнуть договор в любое время в настройках аккаунта.",
    ],
    "uk": [
        "Ваше замовлення було відправлено вчора.", "Спочатку перезавантажте роутер.", "Це коштує 12 євро на місяць.",
        "Працівники мають право на п'ять тижнів відпустки на рік.",
        "Ви можете розірвати договір у будь-який час у налаштуваннях.",
    ],
    "bg": [
        "Вашата поръчка беше изпратена вчера.", "Моля, първо рестартирайте рутера.", "Струва 12 евро на месец.",
        "Служителите имат право на пет седмици отпуск годишно.",
        "Можете да прекратите договора по всяко време в настройките.",
    ],
    "ja": [
        "ご注文の商品は昨日発送されました。", "Microsoft Teamsの設定を開いてください。",
        "まずルーターを再起動してください。", "料金は月額12ユーロです。", "年次休暇は年間27日です。",
    ],
    "zh": [
        "您的订单昨天已经发货。", "请先重新启动路由器。", "每月费用为12欧元。", "年假：每年二十七天。",
        "您可以随时在帐户设置中取消合同。",
    ],
    "ko": [
        "주문하신 상품은 어제 발송되었습니다.", "먼저 라우터를 다시 시작하세요.", "한 달에 12유로입니다.",
        "직원은 연간 5주의 휴가를 받을 수 있습니다.", "계정 설정에서 언제든지 계약을 취소할 수 있습니다.",
    ],
    "ar": [
        "تم شحن طلبك بالأمس.", "يرجى إعادة تشغيل جهاز التوجيه أولاً.", "التكلفة اثنا عشر يورو في الشهر.",
        "عذرًا، لا يمكنني المساعدة في ذلك.", "الإجازة السنوية: 27 يومًا في السنة.",
    ],
    "fa": [
        "سفارش شما دیروز ارسال شد.", "لطفاً ابتدا روتر را دوباره راه‌اندازی کنید.", "هزینه آن ۱۲ یورو در ماه است.",
        "کارکنان سالانه پنج هفته مرخصی دارند.", "می‌توانید در هر زمان قرارداد را در تنظیمات حساب خود لغو کنید.",
    ],
    "he": [
        "ההזמנה שלך נשלחה אתמול.", "אנא הפעל מחדש את הנתב תחילה.", "זה עולה 12 אירו לחודש.",
        "העובדים זכאים לחמישה שבועות חופשה בשנה.", "ניתן לבטל את החוזה בכל עת בהגדרות החשבון.",
    ],
    "hi": [
        "आपका ऑर्डर कल भेज दिया गया था।", "कृपया पहले राउटर को पुनः आरंभ करें।", "इसकी कीमत 12 यूरो प्रति माह है।",
        "कर्मचारियों को साल में पाँच सप्ताह की छुट्टी मिलती है।",
        "आप खाते की सेटिंग में कभी भी अनुबंध रद्द कर सकते हैं।",
    ],
    "fr": [
        "Votre commande a été expédiée hier.", "Veuillez d'abord redémarrer le routeur.",
        "Cela coûte 12 euros par mois.", "Désolé, je ne peux pas vous aider.", "Congés annuels : 27 jours par an.",
    ],
    "it": [
        "Il suo ordine è stato spedito ieri.", "Per favore, riavvii prima il router.", "Costa 12 euro al mese.",
        "Mi dispiace, non posso aiutarla con questo.", "Ferie annuali: 27 giorni all'anno.",
    ],
    "pl": [
        "Twoje zamówienie zostało wysłane wczoraj.", "Proszę najpierw zrestartować router.",
        "To kosztuje 12 euro miesięcznie.", "Przepraszam, nie mogę w tym pomóc.", "Urlop roczny: 27 dni w roku.",
    ],
    "": [
        "Northwind Health Plus", "Microsoft Azure OpenAI Service", "Samsung Galaxy S24 Ultra 256 GB",
        "iPhone 15 Pro Max", "Volkswagen ID.4 Pro", "Contoso Electronics GmbH", "12.5 % / 2026-11-24 / 3:45 pm",
        "EUR 1.234,56", "A1, B2, C3", "README.md, CHANGELOG.md", "John Smith, Maria Garcia, Wei Zhang",
        "Berlin, Paris, Madrid, Roma", "OK.", "Kubernetes, Docker, PostgreSQL", "ISO 27001, SOC 2, HIPAA",
        "sudo systemctl restart nginx", "npm install --save react", "Giuseppe Verdi, La Traviata (1853)",
        "Müller & Söhne GmbH & Co. KG", "kg, cm, km/h, m²",
    ],
}  # fmt: skip
